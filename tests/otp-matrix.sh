#!/bin/bash
# What the exporter can do with each OTP release: tests/otp-matrix.sh [RELEASE...]. Runs the live tests
# on each release that this machine has (its own OTP, and the roots in build/otp; those of 23, 27 and 29 it
# makes), one after the other, some fifteen minutes each, and prints a table: release x feature.
#
# A feature that a build cannot have is named with its reason in tests/otp-matrix.txt; its test is
# not run. Ends with 1 when a test fails. Outputs are in build/otp-matrix.
#
# ONLY=REGEX runs only the features whose names match. BEAM_EXPORTER names the binary,
# build/release/beam_exporter by default.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
export BEAM_EXPORTER=${BEAM_EXPORTER:-$repo/build/release/beam_exporter}
[[ -x $BEAM_EXPORTER ]] || { echo "otp-matrix: needs $BEAM_EXPORTER: build it first (README.md)" >&2; exit 77; }

# Feature, program of tests/integration, and its arguments after the release.
features=(
  "figures of the VM|vm_figures" "shares, eBPF|shares 1 ebpf" "shares, perf|shares 1 perf"
  "utilization|utilization default" "stacks|stack_shapes auto" "states|states" "blame|blame"
  "blame, second opinion|other_hands auto" "NIF calls|nif_holds" "names of NIFs|nif_names"
  "profiles|profile" "profiles as pages|profile_pages" "flame graphs|flame_graph"
  "processes as pages|process_pages" "kernel frames|kernel_frames" "line coverage|coverage"
  "top|top" "blame tool|blame_tool" "perf map|perf_map" "stacks of processes|pstack"
  "stacks of schedulers|pstack_schedulers" "ETS tables|ets_tables" "core files|core_files"
  "heaps|heap_tool" "report|report" "live page|live_page" "memory as a page|memory_page"
  "memory tool|memory_tool" "memory figures|memory_figures" "memory, parts|memory_parts"
  "memory, torn|memory_torn" "allocators off|allocators_off" "growth|growth" "mailboxes|mailboxes"
  "schedulers online|schedulers_online" "few rights|restricted" "a VM that hangs|stuck_vm"
  "many threads|many_threads auto" "scans in motion|scan_in_motion" "the same program|same_program"
)

if (($# > 0)); then
  releases=("$@")
else
  for release in 23 27 29; do "$repo/tests/harness/otp_root.sh" "$release"; done
  releases=("$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')")
  for root in "$repo"/build/otp/*/; do
    [[ -e $root/.complete ]] && releases+=("$(basename "$root")")
  done
  mapfile -t releases < <(printf '%s\n' "${releases[@]}" | sort -un)
fi

logs=$repo/build/otp-matrix
mkdir -p "$logs"
declare -A cells
failed=0

# Prints one word for the cell.
run() {
  local release=$1 program=$2 reason
  shift 2
  reason=$(sed -n "s/^$release $program: //p" "$repo/tests/otp-matrix.txt")
  [[ -z $reason ]] || { echo "-"; return; }
  local code=0
  (cd "$repo/tests" && unshare --pid --fork --mount-proc --kill-child \
    timeout 900 /usr/bin/python3 -B -m "integration.$program" "$release" "$@") \
    > "$logs/$release.$program${1:+.$1}.txt" 2>&1 || code=$?
  case $code in
    0) echo "yes" ;;
    77) echo "skipped" ;;
    *) echo "FAILS" ;;
  esac
}

for release in "${releases[@]}"; do
  for feature in "${features[@]}"; do
    [[ ${feature%%|*} =~ ${ONLY:-} ]] || continue
    read -ra words <<< "${feature#*|}"
    cell=$(run "$release" "${words[@]}")
    cells["$release|$feature"]=$cell
    [[ $cell != FAILS ]] || failed=1
    echo "otp-matrix: $release: ${feature%%|*}: $cell" >&2
  done
done

printf '%-24s' feature
printf '%-10s' "${releases[@]}"
echo
for feature in "${features[@]}"; do
  [[ ${feature%%|*} =~ ${ONLY:-} ]] || continue
  printf '%-24s' "${feature%%|*}"
  for release in "${releases[@]}"; do printf '%-10s' "${cells["$release|$feature"]}"; done
  echo
done
grep -h '^[0-9]' "$repo/tests/otp-matrix.txt" || true
exit $failed

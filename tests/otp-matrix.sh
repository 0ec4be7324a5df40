#!/bin/bash
# What the exporter can do with each OTP release and each build of it: tests/otp-matrix.sh [ROOT...]. Makes the
# builds below, runs the live tests on each of them, on this machine's own OTP and on every other root in
# build/otp, one after the other, some fifteen minutes each, and prints a table: build x feature.
# A ROOT is the name of one: 27 is Debian's package, with the JIT; harness/otp_build.sh says what 27emu is.
#
# A feature that a build cannot have is named with its reason in tests/otp-matrix.txt; its test is
# not run. A test that fails runs once more. Ends with 1 when one fails twice. Outputs are in build/otp-matrix.
#
# ONLY=REGEX runs only the features whose names match. BEAM_EXPORTER names the binary,
# build/release/beam_exporter by default.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
export BEAM_EXPORTER=${BEAM_EXPORTER:-$repo/build/release/beam_exporter}
[[ -x $BEAM_EXPORTER ]] || { echo "otp-matrix: needs $BEAM_EXPORTER: build it first (README.md)" >&2; exit 77; }

# Feature, program of tests/integration, and its arguments after the release.
features=(
  "figures of the VM|vm_figures" "shares, eBPF|shares 1 ebpf" "shares, perf|shares 1 perf"
  "utilization|utilization default" "stacks|stack_shapes auto" "states|states" "blame|blame"
  "blame, second opinion|other_hands auto" "NIF calls|nif_holds" "names of NIFs|nif_names"
  "assembly|assembly_frames"
  "profiles|profile" "profiles as pages|profile_pages" "flame graphs|flame_graph"
  "processes as pages|process_pages" "kernel frames|kernel_frames" "line coverage|coverage"
  "top|top" "blame tool|blame_tool" "perf map|perf_map" "stacks of processes|pstack"
  "stacks of schedulers|pstack_schedulers" "ETS tables|ets_tables" "limit of ETS tables|ets_limit"
  "core files|core_files"
  "heaps|heap_tool" "report|report" "live page|live_page" "memory as a page|memory_page"
  "memory tool|memory_tool" "memory figures|memory_figures" "memory, parts|memory_parts"
  "memory, torn|memory_torn" "allocators off|allocators_off" "growth|growth" "mailboxes|mailboxes"
  "schedulers online|schedulers_online" "few rights|restricted" "a VM that hangs|stuck_vm"
  "many threads|many_threads auto" "scans in motion|scan_in_motion" "the same program|same_program"
)

# The machine's own OTP stands for the root of its release, as in harness/erlang_runtime.py.
own=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
releases=(23 27 29 25emu 25unstripped 25clang 25clangemu 25lcnt 27emu 27unstripped)
(($# == 0)) || releases=("$@")
for release in "${releases[@]}"; do
  [[ $release != "$own" && ! -e $repo/build/otp/$release/.complete ]] || continue
  if [[ $release =~ ^([0-9]+)([a-z]+)$ ]]; then
    "$repo/tests/harness/otp_build.sh" "${BASH_REMATCH[@]:1}"
  else
    "$repo/tests/harness/otp_root.sh" "$release"
  fi
done
if (($# == 0)); then
  releases=("$own")
  for root in "$repo"/build/otp/*/; do
    [[ -e $root/.complete ]] && releases+=("$(basename "$root")")
  done
  mapfile -t releases < <(printf '%s\n' "${releases[@]}" | LC_ALL=C sort -u)
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
  local code=0 attempt log="$logs/$release.$program${1:+.$1}.txt"
  # As in tests/run.sh: one that fails runs once more, because a host may stop the machine in a measurement.
  for attempt in 1 2; do
    code=0
    (cd "$repo/tests" && unshare --pid --fork --mount-proc --kill-child \
      timeout 900 /usr/bin/python3 -B -m "integration.$program" "$release" "$@") > "$log.part" 2>&1 || code=$?
    if ((attempt == 1)); then mv "$log.part" "$log"; else cat "$log.part" >> "$log" && rm "$log.part"; fi
    ((code != 0 && code != 77)) || break
  done
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
printf '%-13s' "${releases[@]}"
echo
for feature in "${features[@]}"; do
  [[ ${feature%%|*} =~ ${ONLY:-} ]] || continue
  printf '%-24s' "${feature%%|*}"
  for release in "${releases[@]}"; do printf '%-13s' "${cells["$release|$feature"]}"; done
  echo
done
for release in "${releases[@]}"; do grep "^$release " "$repo/tests/otp-matrix.txt" || true; done
exit $failed

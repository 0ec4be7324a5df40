#!/bin/bash
# What the exporter can do on stock kernels: tests/kernels.sh [KERNEL...], of 5.10, 6.1, 6.12 and sid; all
# of them without arguments. Boots Debian's cloud kernels under qemu, at their own sysctls, one after
# the other (two to three minutes each), and prints which source samples with which rights, and whether functions
# are named. Ends with 1 when that is not what tests/kernels/expected.txt says.
#
# tests/kernels.sh --tick [KERNEL...] compares the tick source with the eBPF source and with what the VM
# says of itself, on one processor with a clock that counts instructions (ten minutes each): it ends
# with 1 when shares differ by more than TICK_POINTS points (2) after TICK_SECONDS seconds (120).
#
# BEAM_EXPORTER names the binary, build/release/beam_exporter by default.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
exporter=${BEAM_EXPORTER:-$repo/build/release/beam_exporter}
case ${1:-} in
  -h|--help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
for program in qemu-system-x86_64 cpio busybox erl setpriv; do
  command -v "$program" > /dev/null || {
    echo "kernels: needs $program (deploy/install-dependencies.sh --tests)" >&2
    exit 77
  }
done

suite_of() {
  case $1 in
    5.10) echo bullseye ;;
    6.1) echo bookworm ;;
    6.12) echo trixie ;;
    sid) echo sid ;;
    *) echo "kernels: no suite is known to carry $1 (5.10, 6.1, 6.12 and sid are)" >&2; return 2 ;;
  esac
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
guest=$repo/tests/kernels/guest.sh
with_tick=no
if [[ ${1:-} == --tick ]]; then
  shift
  with_tick=yes
  guest=$scratch/guest
  { printf 'TICK_SECONDS=%q TICK_POINTS=%q\n' "${TICK_SECONDS:-120}" "${TICK_POINTS:-2}"
    cat "$repo/tests/kernels/tick.sh"; } > "$guest"
  export GUEST_MACHINE="-accel tcg -icount shift=2 -smp 1"
fi
kernels=("$@")
[[ $# -gt 0 ]] || kernels=(5.10 6.1 6.12 sid)
for kernel in "${kernels[@]}"; do suite_of "$kernel" > /dev/null; done

"$repo/tests/kernels/root.sh" "$scratch/root" "$exporter" "$guest"
wrong=0
for kernel in "${kernels[@]}"; do
  image=$("$repo/tests/kernels/fetch.sh" "$(suite_of "$kernel")")
  "$repo/tests/kernels/boot.sh" "$image" "$scratch/root" "$scratch/results" > "$scratch/console" || {
    echo "kernels: the guest of $kernel did not end" >&2
    wrong=1
  }
  if [[ $with_tick == yes ]]; then
    sed "s/^tick|/$kernel: /" "$scratch/results"
    if ! grep -q '^tick|' "$scratch/results" || grep -q '^tick|[^|]*|no|' "$scratch/results"; then wrong=1; fi
    continue
  fi
  awk -F '|' '
    $1 == "kernel" {printf "\n%s, kernel.perf_event_paranoid %s\n  %-32s %-6s %-9s %s\n", $2, $3, "rights", "source", "functions", "beam_up"}
    $1 == "cell" {printf "  %-32s %-6s %-9s %s\n", $2, $3, $4, $5}
    $1 == "admin" {printf "    CAP_SYS_ADMIN is permitted to %s of its threads, in effect in %s\n", $2, $3}
    $1 == "threads" {printf "    threads that are not sampled: %s; the log says why the tick is taken: %s\n", $2, $3}
    $1 == "said" {printf "    %s\n", $2}' "$scratch/results"
  sed -n "s/^cell|/$kernel|/p; s/^admin|/$kernel|CAP_SYS_ADMIN permitted, in effect|/p
    s/^threads|/$kernel|threads not sampled, the tick explained|/p" "$scratch/results" > "$scratch/found"
  if ! grep "^$kernel|" "$repo/tests/kernels/expected.txt" |
    diff --label expected --label found -U 0 - "$scratch/found"; then
    wrong=1
    tail -n 20 "$scratch/console"
  fi
done
exit "$wrong"

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
# With TICK_OTP=27 the VMs are of that release (build/otp/27), in a root folder and a pid namespace of
# their own, as in a container.
#
# tests/kernels.sh --costs [KERNEL...] prints what a context switch and a sample cost with each source,
# on such a processor (ten minutes each). It compares with nothing.
#
# BEAM_EXPORTER names the binary, build/release/beam_exporter by default.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
exporter=${BEAM_EXPORTER:-$repo/build/release/beam_exporter}
case ${1:-} in
  -h|--help) sed -n '2,19s/^# \{0,1\}//p' "$0"; exit 0 ;;
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
mode=rights
otp_root=
case ${1:-} in
  --tick)
    mode=tick
    printf -v options 'TICK_SECONDS=%q TICK_POINTS=%q TICK_OTP=%q' \
      "${TICK_SECONDS:-120}" "${TICK_POINTS:-2}" "${TICK_OTP:-}"
    [[ -z ${TICK_OTP:-} ]] || otp_root=$repo/build/otp/$TICK_OTP
    ;;
  --costs)
    mode=costs
    printf -v options 'COST_TURNS=%q' "${COST_TURNS:-5}"
    ;;
esac
if [[ $mode != rights ]]; then
  shift
  guest=$scratch/guest
  { echo "$options"; cat "$repo/tests/kernels/watching.sh" "$repo/tests/kernels/$mode.sh"; } > "$guest"
  export GUEST_MACHINE="-accel tcg -icount shift=2 -smp 1"
fi
kernels=("$@")
[[ $# -gt 0 ]] || kernels=(5.10 6.1 6.12 sid)
for kernel in "${kernels[@]}"; do suite_of "$kernel" > /dev/null; done

"$repo/tests/kernels/root.sh" "$scratch/root" "$exporter" "$guest" "$otp_root"
wrong=0
for kernel in "${kernels[@]}"; do
  image=$("$repo/tests/kernels/fetch.sh" "$(suite_of "$kernel")")
  # QEMU before 8.1 now and then runs an instruction that another processor has just patched as the
  # breakpoint that stood there meanwhile, of which the kernel dies (its bug, mended by deba78709a).
  for _ in 1 2 3; do
    "$repo/tests/kernels/boot.sh" "$image" "$scratch/root" "$scratch/results" > "$scratch/console" || {
      echo "kernels: the guest of $kernel did not end" >&2
      wrong=1
    }
    grep -q 'int3: 0000' "$scratch/console" || break
    echo "kernels: the kernel of $kernel died of a breakpoint that was gone: once more" >&2
  done
  if [[ $mode == costs ]]; then
    awk -F '|' -v frequency=999 -v kernel="$kernel" '
      $1 == "cost" {
        each = $3 ~ /swap$/ ? $4 / $5 : $4
        if (!(($2, $3) in least) || each < least[$2, $3]) least[$2, $3] = each}
      $1 == "program" {programs = programs sprintf("%s: %s, %s, %s: %d runs, %.0f ns each\n", kernel, $2, $3, $4, $5, $6 / $5)}
      END {
        for (k = split("none ebpf tick", source, " "); k > 0; --k)
          printf "%s: %s: a switch of others %.0f ns, of the VM %.0f ns; a sample %.0f ns\n", kernel, source[k],
            least[source[k], "stranger swap"], least[source[k], "watched swap"],
            (least[source[k], "watched spin"] - least["none", "watched spin"]) / frequency / least["none", "watched spin"] * 1e9
        printf "%s", programs}' "$scratch/results"
    grep -q '^program|tick|' "$scratch/results" || wrong=1
    [[ $wrong == 0 ]] || tail -n 20 "$scratch/console"
    continue
  fi
  if [[ $mode == tick ]]; then
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

#!/bin/bash
# Boots a kernel with a root folder of root.sh and waits for its end: tests/kernels/boot.sh VMLINUZ ROOT
# RESULTS [SECONDS]. The console goes to stdout, the guest's file descriptor 3 to the file RESULTS. Without
# KVM, so it runs anywhere: some 10 s until /init. GUEST_MACHINE: other processors than two that run freely. Ends with 1 when the guest has not ended in time.
# Without cmpxchg16b, which QEMU 7.2 has write the flags wrong: kernels of 6.12 die of that within minutes.
set -euo pipefail

usage="usage: boot.sh VMLINUZ ROOT RESULTS [SECONDS]"
kernel=${1:?$usage} root=${2:?$usage} results=${3:?$usage} seconds=${4:-1500}

(cd "$root" && find . -print0 | cpio -0 -o -H newc --quiet -R 0:0) > "$root.cpio"
trap 'rm -f "$root.cpio"' EXIT
# shellcheck disable=SC2086
timeout "$seconds" nice qemu-system-x86_64 ${GUEST_MACHINE:--accel tcg,thread=multi -smp 2} -cpu max,-cx16 -m 2G \
  -kernel "$kernel" -initrd "$root.cpio" -append "console=ttyS0 quiet panic=-1" \
  -display none -monitor none -serial stdio -serial "file:$results" -no-reboot < /dev/null

#!/bin/bash
# Builds everything and runs every test: tests/run.sh [ctest arguments], e.g. tests/run.sh -R shares
#
# One ctest run at the end covers all: unit and style tests, real VMs of four OTP releases, and the
# same unit tests once more from the sanitizer builds. Its summary is the last thing printed.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
cd "$repo"
step() { echo "run.sh: $*"; }

case ${1:-} in
  -h|--help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

deploy/install-dependencies.sh --tests

for release in 27 29 23; do tests/harness/otp_root.sh "$release"; done
tests/kernels/fetch.sh bookworm > /dev/null

jobs=$(nproc)
log=build/run-sh.log
mkdir -p build
quietly() {  # the whole log when it fails, silence when it does not
  if ! "$@" > "$log" 2>&1; then
    cat "$log" >&2
    echo "run.sh: failed: $*" >&2
    exit 1
  fi
}
for preset in asan tsan release; do
  step "building $preset"
  options=() targets=(--target sanitized)
  [[ $preset != release ]] || options=(-DBEAM_EXPORTER_SANITIZED_TREES=ON) targets=()
  quietly cmake --preset "$preset" "${options[@]}"
  quietly cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"
done

step "testing"
# A live test compares figures of a real VM on a machine whose host may stop it for a while: one that fails runs once
# more. Both runs are in the log; a fault shows twice.
exec ctest --test-dir build/release -j "$jobs" --output-on-failure --no-tests=error --repeat until-pass:2 "$@"

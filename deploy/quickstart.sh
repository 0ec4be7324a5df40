#!/bin/bash
# Builds beam_exporter, starts a small demo VM (or takes yours), runs the exporter beside it and shows
# which Erlang functions burn CPU:
#
#   deploy/quickstart.sh [--seconds N] [--target.pid N]
#
# --seconds N     ends after N seconds with a summary; without it, Ctrl-C ends it
# --target.pid N  watches the VM with this process id instead of the demo
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
say() { echo "quickstart: $*"; }
fail() { echo "quickstart: $*" >&2; exit 1; }
usage() { echo "quickstart: $*" >&2; echo "usage: deploy/quickstart.sh [--seconds N] [--target.pid N]" >&2; exit 2; }

seconds=0
target=
while [[ $# -gt 0 ]]; do
  case $1 in
    --seconds=*|--target.pid=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --seconds|--target.pid)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage "$1 needs a number above 0, not '${2:-}'"
      if [[ $1 == --seconds ]]; then seconds=$2; else target=$2; fi
      shift 2 ;;
    *) usage "unknown argument $1" ;;
  esac
done

# Reading another process and sampling its threads needs rights; building does not.
as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo)

scratch=$(mktemp -d)
exporter_pid=
demo_pid=
cleanup() {
  trap - EXIT INT TERM
  if [[ -n $exporter_pid ]]; then
    "${as_root[@]}" kill "$exporter_pid" 2> /dev/null || true
    wait "$exporter_pid" 2> /dev/null || true
  fi
  if [[ -n $demo_pid ]]; then
    kill "$demo_pid" 2> /dev/null || true
    wait "$demo_pid" 2> /dev/null || true
  fi
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT
trap 'cleanup; exit 143' TERM

"$repo/deploy/install-dependencies.sh"

quietly() {
  "$@" > "$scratch/build.log" 2>&1 || { tail -n 40 "$scratch/build.log" >&2; fail "failed: $*"; }
}
cd "$repo"
say "building build/release/beam_exporter (minutes the first time, seconds after that)"
quietly cmake --preset release
quietly cmake --build --preset release --target beam_exporter

if [[ -z $target ]]; then
  mkdir -p build/demo
  quietly erlc -o build/demo deploy/demo/*.erl
  mkfifo "$scratch/ready"
  # The exec'ed emulator keeps this process id.
  erl -noinput -pa build/demo -s shop main "$scratch/ready" < /dev/null > "$scratch/demo.log" 2>&1 &
  demo_pid=$!
  exec 3<> "$scratch/ready"
  read -r -t 30 _ <&3 || { cat "$scratch/demo.log" >&2; fail "the demo VM did not start"; }
  exec 3<&-
  target=$demo_pid
  say "demo VM runs as process $target (deploy/demo)"
fi

port=$(python3 - << 'PYTHON'
import socket
with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", 10125))
        print(10125)
    except OSError:
        print(0)
PYTHON
)
"${as_root[@]}" build/release/beam_exporter --target.pid="$target" --web.listen-address="127.0.0.1:$port" \
  < /dev/null > "$scratch/exporter.log" 2>&1 &
exporter_pid=$!

address=
for _ in $(seq 200); do
  address=$(grep -oE '127\.0\.0\.1:[1-9][0-9]*' "$scratch/exporter.log" | head -n 1 || true)
  [[ -z $address ]] || break
  kill -0 "$exporter_pid" 2> /dev/null || break
  sleep 0.05
done
if [[ -z $address ]]; then
  cat "$scratch/exporter.log" >&2
  fail "the exporter did not start"
fi
say "metrics: http://$address/metrics   live page: http://$address/"

if ! python3 -B deploy/live_top.py "http://$address/metrics" "$seconds"; then
  tail -n 5 "$scratch/exporter.log" >&2
  fail "the exporter did not show any function"
fi

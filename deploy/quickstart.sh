#!/bin/bash
# Builds beam_exporter, starts a small demo VM (or takes yours), runs the exporter beside it and shows
# which Erlang functions burn CPU:
#
#   deploy/quickstart.sh [--seconds N] [--target.pid N] [--prometheus]
#
# --seconds N     ends after N seconds with a summary; without it, Ctrl-C ends it
# --target.pid N  watches the VM with this process id instead of the demo
# --prometheus    also starts a Prometheus with our rules that scrapes the exporter, and an Alertmanager
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
say() { echo "quickstart: $*"; }
fail() { echo "quickstart: $*" >&2; exit 1; }
usage() {
  echo "quickstart: $*" >&2
  echo "usage: deploy/quickstart.sh [--seconds N] [--target.pid N] [--prometheus]" >&2
  exit 2
}

seconds=0
target=
prometheus=no
while [[ $# -gt 0 ]]; do
  case $1 in
    --seconds=*|--target.pid=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    -h|--help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --seconds|--target.pid)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage "$1 needs a number above 0, not '${2:-}'"
      if [[ $1 == --seconds ]]; then seconds=$2; else target=$2; fi
      shift 2 ;;
    --prometheus) prometheus=yes; shift ;;
    *) usage "unknown argument $1" ;;
  esac
done

# Only reading another process and sampling its threads needs rights; building does not.
as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo)

scratch=$(mktemp -d)
exporter_pid=
own_pids=()
cleanup() {
  trap - EXIT INT TERM
  if [[ -n $exporter_pid ]]; then
    "${as_root[@]}" kill "$exporter_pid" 2> /dev/null || true
    wait "$exporter_pid" 2> /dev/null || true
  fi
  for pid in "${own_pids[@]}"; do
    kill "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
  done
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT
trap 'cleanup; exit 143' TERM

if [[ $prometheus == yes ]]; then
  "$repo/deploy/install-dependencies.sh" --prometheus
else
  "$repo/deploy/install-dependencies.sh"
fi

quietly() {
  "$@" > "$scratch/build.log" 2>&1 || { tail -n 40 "$scratch/build.log" >&2; fail "failed: $*"; }
}
cd "$repo"
say "building build/release/beam_exporter (minutes the first time, seconds after that)"
quietly cmake --preset release
sed -n 's/^-- \(The live page .*\)/quickstart: \1/p' "$scratch/build.log"
quietly cmake --build --preset release --target beam_exporter

if [[ -z $target ]]; then
  mkdir -p build/demo
  quietly erlc -o build/demo deploy/demo/*.erl
  mkfifo "$scratch/ready"
  # exec keeps the process id, so this is the id of the emulator.
  erl -noinput -pa build/demo -s shop main "$scratch/ready" < /dev/null > "$scratch/demo.log" 2>&1 &
  own_pids+=($!)
  exec 3<> "$scratch/ready"
  read -r -t 30 _ <&3 || { cat "$scratch/demo.log" >&2; fail "the demo VM did not start"; }
  exec 3<&-
  target=$!
  say "demo VM runs as process $target (deploy/demo)"
fi

port_near() {  # prints that port if it is free, else any free port
  python3 - "$1" << 'PYTHON'
import socket, sys
for port in int(sys.argv[1]), 0:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(probe.getsockname()[1])
        break
PYTHON
}
await() {  # ADDRESS PID LOG: waits until the process answers there
  for _ in $(seq 200); do
    ! curl -sf -o "$scratch/answer" "http://$1/-/ready" || return 0
    kill -0 "$2" 2> /dev/null || break
    sleep 0.05
  done
  cat "$3" >&2
  return 1
}

address=127.0.0.1:$(port_near 10125)
"${as_root[@]}" build/release/beam_exporter --target.pid="$target" --web.listen-address="$address" \
  < /dev/null > "$scratch/exporter.log" 2>&1 &
exporter_pid=$!
await "$address" "$exporter_pid" "$scratch/exporter.log" || fail "the exporter did not start"
say "metrics: http://$address/metrics   live page: http://$address/"

if [[ $prometheus == yes ]]; then
  alerts=127.0.0.1:$(port_near 9093)
  prometheus-alertmanager --config.file=config/alertmanager.yml --storage.path="$scratch/alertmanager" \
    --web.listen-address="$alerts" --cluster.listen-address= < /dev/null > "$scratch/alertmanager.log" 2>&1 &
  own_pids+=($!)
  await "$alerts" $! "$scratch/alertmanager.log" || fail "the Alertmanager did not start"

  queries=127.0.0.1:$(port_near 9090)
  sed -e "s|localhost:10125|$address|; s|localhost:9093|$alerts|; s|\.\./dashboards|$repo/dashboards|" \
    -e "s|scrape_interval: 15s|scrape_interval: 2s|" config/prometheus.yml > "$scratch/prometheus.yml"
  prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/prometheus" \
    --web.listen-address="$queries" < /dev/null > "$scratch/prometheus.log" 2>&1 &
  own_pids+=($!)
  await "$queries" $! "$scratch/prometheus.log" || fail "Prometheus did not start"
  say "Prometheus: http://$queries/graph?g0.expr=topk(5%2Crate(beam_function_cpu_seconds_total%5B1m%5D))   alerts: http://$alerts/"
fi

if ! python3 -B deploy/live_top.py "http://$address/metrics" "$seconds"; then
  tail -n 5 "$scratch/exporter.log" >&2
  fail "the exporter did not show any function"
fi

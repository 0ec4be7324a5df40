# What tick.sh and costs.sh have in common: tests/kernels.sh puts it before either. It gives them a folder
# to work in, VMs that answer requests (tests/targets/puppet.erl), and exporters with the pod's capabilities.
pod='/usr/bin/setpriv --bounding-set=-all,+sys_ptrace,+perfmon,+bpf'
work=$(mktemp -d)

await() {  # WORD FILE: the file, when the word does not come
  for _ in $(seq 600); do grep -q "$1" "$2" && return; sleep 0.2; done
  cat "$2"
}
ask() {  # ANSWERS DESCRIPTOR REQUEST: the line of the answer
  lines=$(grep -c reply "$1")
  echo "$3" >&"$2"
  for _ in $(seq 1200); do [ "$(grep -c reply "$1")" -gt "$lines" ] && break; sleep 0.1; done
  tail -n 1 "$1"
}
watch() {  # SOURCE HZ PORT PID: $exporter, which is up; its log is $work/log.SOURCE
  $pod /beam_exporter --target.pid="$4" --sampling.source="$1" --sampling.frequency="$2" \
    --web.listen-address=127.0.0.1:"$3" > /dev/null 2> "$work/log.$1" &
  exporter=$!
  for _ in $(seq 600); do
    wget -q -O "$work/page" http://127.0.0.1:"$3"/metrics 2> /dev/null && grep -q '^beam_up 1' "$work/page" && return
    sleep 0.2
  done
  cat "$work/log.$1"
}


#!/bin/sh
# Runs in the guest as root: with which rights does the exporter see what of the demo VM here? Each
# answer is one line on file descriptor 3: cell|RIGHTS|SOURCE|FUNCTIONS|UP, where FUNCTIONS is yes when
# the demo's own modules have CPU time; each complaint of the exporter is one line said|RIGHTS|TEXT.
# Busybox prefers its own applets to programs of the same name: setpriv is called by its path.
pod='/usr/bin/setpriv --bounding-set=-all,+sys_ptrace,+perfmon,+bpf'
vms_user='/usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all'
given_in_vain='/usr/bin/setpriv --reuid=1001 --regid=1001 --clear-groups --bounding-set=-all,+sys_ptrace,+perfmon,+bpf'
address=127.0.0.1:10125
starts=0
cd "$(mktemp -d)" && chmod 777 . || exit 1

start_vm() {  # FLAGS...
  starts=$((starts + 1))
  $vms_user erl -noinput +sbwt none +sbwtdcpu none +sbwtdio none "$@" -pa /demo -s shop main ready.$starts > vm.log 2>&1 &
  vm=$!
  until [ -e ready.$starts ]; do
    [ -d /proc/$vm ] || { cat vm.log; exit 1; }
    sleep 0.2
  done
}

# SOURCE|FUNCTIONS|UP of the scrape in the file `page`.
cell() {
  awk '
    /^beam_up / {up = $2}
    /^beam_exporter_feature_enabled\{feature="(ebpf|tick|perf)"\} 1/ {split($1, name, "\""); source = name[2]}
    /^beam_function_cpu_seconds_total\{module="shop_/ && $2 > 0 {functions = "yes"}
    END {print (source ? source : "none") "|" (functions ? functions : "no") "|" (up == "" ? 0 : up)}' page
}
seconds() { awk '/^beam_function_cpu_seconds_total/ {sum += $2} END {print sum + 0}' page; }
named() { cell | grep -q '|yes|1$'; }

say() {  # RIGHTS
  echo "$(cut -d ' ' -f 1 /proc/uptime) s: $1"
  echo "cell|$1|$(cell)" >&3
  grep -E 'level=(warn|error)|^beam_exporter:' log | sed -E 's/^.* msg="//; s/"$//; s/^/said|/' >&3
}

# Scrapes the exporter until `$1` or its end, for minutes at most: a guest can be slow.
await() {
  for _ in $(seq 300); do
    wget -q -O page http://$address/metrics 2> /dev/null && eval "$1" && return
    [ -d /proc/$exporter ] || break
    sleep 1
  done
  eval "$1" || : > page
}
named_or_refused() { named || { grep -q 'no CPU sampling' log && grep -q '^beam_up 1$' page; }; }
named_again() {
  named && grep -q '^beam_target_restarts_total 1$' page &&
    awk "BEGIN {exit !($(seconds) > $before + 0.1)}"
}

serve() {  # PREFIX FLAGS...
  : > page
  : > log
  "$@" --web.listen-address=$address > /dev/null 2>> log &
  exporter=$!
}
look() {  # RIGHTS PREFIX
  serve $2 /beam_exporter --target.pid=$vm
  await named_or_refused
  say "$1"
  kill $exporter 2> /dev/null
  wait $exporter
}

# In how many threads of the exporter CAP_SYS_ADMIN (bit 21) is permitted, and in how many in effect.
admin_in_threads() {
  for status in /proc/$exporter/task/*/status; do
    set -- $(awk '/^CapPrm/ {p = $2} /^CapEff/ {e = $2} END {print p, e}' $status)
    echo $((0x$1 >> 21 & 1)) $((0x$2 >> 21 & 1))
  done | awk '{p += $1; e += $2} END {print (p == NR ? "all" : p) "|" (e == 0 ? "none" : e)}'
}

echo "kernel|$(uname -r)|$(cat /proc/sys/kernel/perf_event_paranoid)" >&3
start_vm
look "pod's capabilities" "$pod"
look "pod's capabilities, not user 0" "$given_in_vain"
look "none, the VM's user" "$vms_user"

serve /beam_exporter --target.match=shop
await named
say 'root, serving'
echo "admin|$(admin_in_threads)" >&3
before=$(seconds)
kill $vm
wait $vm 2> /dev/null
: > log
start_vm
await named_again
say 'root, serving, VM restarted'
kill $exporter
wait $exporter

for length in 5 60; do
  /beam_exporter --once=$length --target.pid=$vm > page 2> log
  if named; then break; fi
done
say 'root, --once'

echo 2 > /proc/sys/kernel/perf_event_paranoid
look "pod's capabilities, sysctl 2" "$pod"

# eBPF is allowed as before, but would have to leave threads out.
kill $vm
wait $vm 2> /dev/null
start_vm +SDio 300
serve sh -c 'ulimit -n 256 && exec "$@"' sh /beam_exporter --target.pid=$vm
await named
say 'root, 300 dirty IO, 256 files'
remark=no
grep -q 'level=info .*kernel.s tick, since eBPF would take' log && remark=yes
echo "threads|$(awk '/^beam_exporter_unwatched_threads/ {sum += $2} END {print sum == 0 ? "none" : "some"}' page)|$remark" >&3
kill $exporter
wait $exporter

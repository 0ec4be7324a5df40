#!/bin/sh
# Runs in a guest as root: is what the tick source says of a VM what the eBPF source says, and what the VM
# did? Both watch the same VM at the same time, with the pod's capabilities; the sysctl is put to 2
# meanwhile, for the eBPF source. Each answer is one line on file descriptor 3: tick|WHAT|ANSWER|DETAIL,
# where ANSWER is yes or no.
#
# With TICK_OTP=RELEASE the VMs run in the root folder /otp, which is of that release.
#
# It needs puppet.beam and wakes_by_timers.beam of tests/targets in /targets. Shares may differ by
# TICK_POINTS points: with the few samples of TICK_SECONDS by default, less than 4 is within chance.
otp=${TICK_OTP:-}
seconds=${TICK_SECONDS:-60} points=${TICK_POINTS:-4} frequency=99
root=  # of the VM, as it is seen from here
[ -z "$otp" ] || root=/otp

# Starts `erl ARGUMENTS` in the background, its stdin from INPUT, which may wait for a writer. With
# TICK_OTP as a container has it: process 1 of a pid namespace, in a root folder of its own, the exporter
# outside of both. find_vm tells its id.
run_erl() {  # INPUT ARGUMENTS...
  input=$1
  shift
  if [ -z "$otp" ]; then
    erl "$@" < "$input" &
  else
    mkdir -p "$root$work"
    unshare -m -p -f --mount-proc sh -c 'mount -o bind /proc /otp/proc && mount -o bind /dev /otp/dev &&
      exec chroot /otp /usr/bin/env HOME=/ PATH=/usr/bin:/bin LANG=C.UTF-8 erl "$@"' sh "$@" < "$input" &
  fi
  started=$!
}
find_vm() {
  vm=$started
  [ -z "$otp" ] || vm=$(cat /proc/$started/task/$started/children)
  vm=${vm% }
}
end_vm() {
  kill "$vm" 2> /dev/null
  wait $started 2> /dev/null
}

scrape() {  # WHEN
  wget -q -O "$work/$1.ebpf" http://127.0.0.1:10001/metrics
  wget -q -O "$work/$1.tick" http://127.0.0.1:10002/metrics
}
cpu_of() { cat /proc/"$1"/task/*/schedstat | awk '{sum += $1} END {printf "%.3f\n", sum / 1e9}'; }

# How much each function has gained, as "MODULE:FUNCTION SECONDS".
gained() {  # SOURCE
  awk '/^beam_function_cpu_seconds_total/ {
         split($1, part, "\""); name = part[2] ":" part[4]
         if (FNR == NR) before[name] = $2; else print name, $2 - before[name]}' "$work/before.$1" "$work/after.$1"
}

# Shares of the functions whose names match, of two files "NAME AMOUNT", and whether all agree.
compare() {  # WHAT FILE FILE PATTERN
  awk -v what="$1" -v pattern="$4" -v points=$points '
    $1 !~ pattern {next}
    FNR == NR {a[$1] = $2; all_a += $2; next}
    {b[$1] = $2; all_b += $2}
    END {
      answer = all_a > 0 && all_b > 0 ? "yes" : "no"
      for (name in a) if (all_a > 0 && all_b > 0) {
        one = 100 * a[name] / all_a; other = 100 * b[name] / all_b
        if (one > 1 || other > 1) detail = detail sprintf(" %s %.1f %.1f", name, one, other)
        if (one - other > points || other - one > points) answer = "no"
      }
      print "tick|" what "|" answer "|" detail}' "$2" "$3" >&3
}

measure() {  # NAME PID PATTERN
  watch ebpf $frequency 10001 "$2"
  ebpf=$exporter
  watch tick $frequency 10002 "$2"
  tick=$exporter
  open=$(ls /proc/"$tick"/fd | wc -l)
  [ "$open" -lt 40 ] && few=yes || few=no
  echo "tick|$1: no descriptor per thread|$few|$open" >&3
  sleep 3
  ask_before
  cpu=$(cpu_of "$2")
  scrape before
  sleep "$seconds"
  scrape after
  cpu=$(cpu_of "$2" | awk -v before="$cpu" '{print $1 - before}')
  ask_after
  kill "$ebpf" "$tick"
  gained ebpf > "$work/gained.ebpf"
  gained tick > "$work/gained.tick"
  compare "$1: shares of tick and eBPF" "$work/gained.tick" "$work/gained.ebpf" "$3"
  awk -v what="$1" -v cpu="$cpu" -v frequency=$frequency '
    /^beam_samples_(total|lost_total)/ {if (FNR == NR) before[$1] = $2; else sum += $2 - before[$1]}
    END {
      sampled = sum / frequency
      print "tick|" what ": samples are the CPU time|" (sampled > 0.9 * cpu && sampled < 1.1 * cpu ? "yes" : "no") "|" sampled " of " cpu}' \
    "$work/before.tick" "$work/after.tick" >&3
}

paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 2 > /proc/sys/kernel/perf_event_paranoid

ask_before() { :; }
ask_after() { :; }
run_erl /dev/null -noinput -pa /demo -s shop main "$work/tick_ready" > "$work/vm.log" 2>&1
for _ in $(seq 600); do [ ! -e "$root$work/tick_ready" ] || break; sleep 0.2; done
find_vm
measure demo "$vm" '.'

# As a sidecar has it: in the VM's own pid namespace.
if [ -n "$otp" ]; then
  nsenter -t "$vm" -m -p $pod /beam_exporter --target.pid=1 --sampling.source=tick --once=10 > "$work/page" 2> "$work/log.inside"
  functions=$(grep -c '^beam_function_cpu_seconds_total{module="shop_' "$work/page")
  [ "$functions" -gt 3 ] && answer=yes || answer=no
  echo "tick|demo: beside it in its pid namespace|$answer|$functions of its functions have a name" >&3
  [ $answer = yes ] || cat "$work/log.inside"
fi
end_vm

ask_vm() { ask "$work/answers" 4 "$1"; }  # REQUEST: its line
# The VM's own counts, before and after, as "MODULE:FUNCTION ROUNDS".
counts() {
  ask_vm counts | sed 's/.*reply":{//; s/}.*//; s/,/\n/g' | awk -F '"' '{sub(/:/, "", $3); print "wakes_by_timers:" $2, $3}'
}
# Of its first scheduler, "ACTIVE TOTAL".
wall_time() {
  ask_vm 'eval [{A, T} || {1, A, T} <- erlang:statistics(scheduler_wall_time)].' | sed 's/.*\[\[//; s/\].*//; s/,/ /'
}
ask_before() {
  counts > "$work/counts.before"
  wall_time > "$work/wall.before"
}
ask_after() {
  counts > "$work/counts.after"
  wall_time > "$work/wall.after"
  awk 'FNR == NR {before[$1] = $2; next} {print $1, $2 - before[$1]}' "$work/counts.before" "$work/counts.after" > "$work/did"
}
mkfifo "$work/requests"
run_erl "$work/requests" -noshell -pa /targets -s puppet main wakes_by_timers > "$work/answers" 2>&1
exec 4> "$work/requests"
await ready "$work/answers"
find_vm
ask_vm 'eval erlang:system_flag(scheduler_wall_time, true).' > /dev/null
measure timers "$vm" '^wakes_by_timers:(after|each)'
compare "timers: shares of tick and the VM" "$work/gained.tick" "$work/did" '^wakes_by_timers:(after|each)'
compare "timers: shares of eBPF and the VM" "$work/gained.ebpf" "$work/did" '^wakes_by_timers:(after|each)'
for source in tick ebpf; do
  awk -v source=$source -v points="$points" '
    FILENAME ~ /wall/ {active = $1 - active; total = $2 - total; next}
    /^beam_scheduler_state_seconds_total\{kind="normal",scheduler="1"/ {
      value = (FILENAME ~ /before/ ? -1 : 1) * $2
      all += value
      if ($1 !~ /state="(sleep|busy_wait)"/) busy += value}
    END {
      ours = all > 0 ? 100 * busy / all : -100
      vms = 100 * active / total
      print "tick|timers: utilization, " source " and scheduler_wall_time|" (ours - vms <= points && vms - ours <= points ? "yes" : "no") \
        "|" sprintf("%.1f %.1f", ours, vms)}' \
    "$work/wall.before" "$work/wall.after" "$work/before.$source" "$work/after.$source" >&3
done
exec 4>&-
end_vm
echo "$paranoid" > /proc/sys/kernel/perf_event_paranoid

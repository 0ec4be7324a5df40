#!/bin/sh
# Runs in a guest as root: what does each source cost, per context switch and per sample? Two VMs do
# fixed work (tests/targets/fixed_work.erl); one of them is watched by no source, by eBPF, by the tick,
# in turns. The exporter is stopped while they are measured: what it does with samples is not counted.
# Each answer is one line on file descriptor 3: cost|SOURCE|WORK|ns|SWITCHES, of the VM's clock, and
# one line program|SOURCE|NAME|RUNS|ns as the kernel counts (kernel.bpf_stats_enabled).
#
# The processor counts instructions, some ns each: costs compare with each other, and with what the same
# processor needs for a context switch; they are not times of a real machine.
turns=${COST_TURNS:-5} swaps=20000
echo 2 > /proc/sys/kernel/perf_event_paranoid

start_vm() {  # NAME DESCRIPTOR
  mkfifo "$work/requests.$1"
  erl +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -noshell -pa /targets -s puppet main fixed_work \
    < "$work/requests.$1" > "$work/answers.$1" 2>&1 &
  eval "$1=$!; exec $2> \"$work/requests.$1\""
  await ready "$work/answers.$1"
}
ask_vm() {  # NAME DESCRIPTOR REQUEST: "ns switches"
  ask "$work/answers.$1" "$2" "$3" | sed 's/.*"ns":\([0-9]*\).*"switches":\([0-9]*\).*/\1 \2/; s/.*"switches":\([0-9]*\).*"ns":\([0-9]*\).*/\2 \1/'
}
begin() {  # SOURCE HZ
  [ "$1" != none ] || return
  watch "$1" "$2" 10001 "$watched"
  grep -q "source=$1" "$work/log.$1" || cat "$work/log.$1"
  sleep 2
  kill -STOP $exporter
}
end() {  # SOURCE
  [ "$1" != none ] || return
  kill -CONT $exporter
  kill $exporter
  wait $exporter 2> /dev/null
}
measure() {  # SOURCE NAME DESCRIPTOR WORK AMOUNT
  echo "cost|$1|$2 $4|$(ask_vm "$2" "$3" "$4 $5" | tr ' ' '|')" >&3
}

start_vm watched 4
start_vm stranger 5
# For one second, so that the samples of one measurement, 999, fit into the ring. Switches are
# measured at 99 Hz.
rounds=$(ask_vm watched 4 'spin 2000000' | awk '{printf "%d\n", 2000000 * 1e9 / $1}')
echo "rounds in a second: $rounds"
for _ in $(seq "$turns"); do
  for source in none ebpf tick; do
    begin $source 99
    measure $source stranger 5 swap $swaps
    measure $source watched 4 swap $swaps
    end $source
    begin $source 999
    measure $source watched 4 spin "$rounds"
    end $source
  done
done

# What the kernel counts of each program. It takes time itself, so apart from the above.
echo 1 > /proc/sys/kernel/bpf_stats_enabled
for source in ebpf tick; do
  for what in "stranger 5 swap $swaps 99" "watched 4 swap $swaps 99" "watched 4 spin $rounds 999"; do
    set -- $what
    begin $source "$5"
    bpftool prog show > "$work/before"
    ask_vm "$1" "$2" "$3 $4" > /dev/null
    bpftool prog show > "$work/after"
    awk -v source=$source -v what="$1 $3" '
      {id = $1; name = ns = runs = ""
       for (k = 2; k < NF; ++k) {if ($k == "name") name = $(k + 1); if ($k == "run_time_ns") ns = $(k + 1); if ($k == "run_cnt") runs = $(k + 1)}}
      name == "" {next}
      FNR == NR {before_ns[id] = ns; before_runs[id] = runs; next}
      runs > before_runs[id] {print "program|" source "|" what "|" name "|" runs - before_runs[id] "|" ns - before_ns[id]}' \
      "$work/before" "$work/after" >&3
    end $source
  done
done

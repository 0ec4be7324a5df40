local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';

// One colour for each state, on every panel: work in colours, the rest in greys.
local states = {
  emulator: 'green', bif: 'semi-dark-green', nif: 'purple', gc: 'orange', gc_full: 'dark-orange', ets: 'yellow', send: 'blue',
  port: 'light-blue', alloc: 'red', timers: 'super-light-blue', check_io: 'super-light-green', aux: 'light-yellow', other: 'dark-blue',
  busy_wait: 'rgb(130, 130, 140)', sleep: 'rgb(60, 60, 66)',
};
local time_by_state(kind) = 'avg by (state) (rate(beam_scheduler_state_seconds_total{@, kind=~"%s"}[$__rate_interval]))' % kind;
local share(state) =
  'sum(rate(beam_scheduler_state_seconds_total{@, kind="normal", state="%s"}[$__rate_interval]))\n' % state
  + '/ sum(beam_schedulers_online{@, kind="normal"})';
local work = 'sum(rate(beam_scheduler_state_seconds_total{@, state!~"sleep|busy_wait"}[$__rate_interval]))';

d.dashboard('schedulers', 'Schedulers & microstates', 'Where the time of the schedulers goes, in the states of msacc.', [
  p.stat('Work', 'Are the normal schedulers that are online full? Without sleep and busy wait.', 'percentunit',
         'sum(beam_scheduler_utilization_ratio{@, kind="normal"}) / sum(beam_schedulers_online{@, kind="normal"})')
  + p.limits([[0.7, 'orange'], [0.9, 'red']]) + p.max(1) + p.link('functions', 'Which functions?'),
  p.stat('Busy wait', 'How much of the CPU that top shows is waiting?', 'percentunit', share('busy_wait')) + p.max(1),
  p.stat('Garbage collection', 'How much of their time do they collect?', 'percentunit', share('gc')) + p.limits([[0.2, 'orange'], [0.4, 'red']]) + p.max(1)
  + p.link('functions', 'Whose garbage?'),
  p.stat('NIFs', 'How much of all work is in NIFs?', 'percentunit', 'avg(beam_nif_time_ratio{@})') + p.max(1) + p.link('functions', 'Which NIFs?'),
  p.stat('Waiting', 'How many processes and ports wait for a scheduler?', 'short', 'sum(beam_run_queue_length{@})'),
  p.stat('NIFs that hold', 'Do NIF calls hold a normal scheduler for 10 ms or more?', 'ops',
         'sum(rate(beam_nif_hold_seconds_count{@}[$__rate_interval])) - sum(rate(beam_nif_hold_seconds_bucket{@, le="0.01"}[$__rate_interval]))')
  + p.limits([[0.1, 'red']]) + p.link('functions', 'Which NIFs?'),

  'Where the time goes',
  p.timeseries('Normal schedulers by state', 'What do the normal schedulers do all day? gc, nif, ets, port each have another remedy. Those that are not online sleep.', 'percentunit', [[time_by_state('normal'), '{{state}}']])
  + p.stacked('percent') + p.painted(states) + p.legend_table() + p.size(24, 10) + p.link('functions', 'Which functions?'),
  p.timeseries('Dirty schedulers by state', 'Are dirty CPU and IO schedulers busy, and with what?', 'percentunit', [[time_by_state('dirty_cpu|dirty_io'), '{{state}}']])
  + p.stacked('percent') + p.painted(states) + p.link('functions', 'Which NIFs?'),
  p.timeseries('Aux, poll and async threads by state', 'Are the threads beside the schedulers busy?', 'percentunit', [[time_by_state('aux|poll|async'), '{{state}}']])
  + p.stacked('percent') + p.painted(states),

  'Balance and queues',
  p.timeseries('Utilization of each normal scheduler', 'Is the work spread over all schedulers, or is one full?', 'percentunit', [
    ['avg by (scheduler) (beam_scheduler_utilization_ratio{@, kind="normal"})', '{{scheduler}}'],
  ]) + p.max(1) + p.link('functions', 'Which functions?'),
  p.timeseries('Utilization of other threads', 'Which dirty scheduler or helper thread is busy?', 'percentunit', [
    ['avg by (kind) (beam_scheduler_utilization_ratio{@, kind!="normal"})', '{{kind}}'],
  ]) + p.max(1),
  p.timeseries('Schedulers online', 'Does the VM use all the schedulers it was started with? Less than that: erlang:system_flag(schedulers_online), or the limit of a container.', 'short', [
    ['sum by (kind) (beam_schedulers_online{@})', '{{kind}} online'],
    ['sum by (kind) (beam_schedulers{@})', '{{kind}}'],
  ]),
  p.timeseries('Run queues', 'Where does work wait? Dirty schedulers of a kind share a queue.', 'short', [
    ['sum by (kind, scheduler) (beam_run_queue_length{@})', '{{kind}} {{scheduler}}'],
  ]) + p.link('processes', 'Which processes?'),
  p.timeseries('CPU as the kernel sees it, and work', 'Does top show work or waiting? More CPU than work: busy wait. More work than CPU: others keep the VM from a CPU.', 'suffix: cores', [
    ['sum by (mode) (rate(beam_vm_cpu_seconds_total{@}[$__rate_interval]))', 'CPU, {{mode}}'],
    [work, 'work of all schedulers'],
  ]),

  'NIFs that hold a scheduler',
  p.heatmap('How long NIF calls held a normal scheduler', 'How long can nothing else run there? A NIF should return within 1 ms; each is a lower bound.', 's',
            'sum by (le) (increase(beam_nif_hold_seconds_bucket{@}[$__rate_interval]))'),
  p.timeseries('Mean time held', 'Do NIF calls get longer?', 's', [
    ['sum(rate(beam_nif_hold_seconds_sum{@}[$__rate_interval])) / sum(rate(beam_nif_hold_seconds_count{@}[$__rate_interval]))', 'mean of calls that were seen'],
  ]) + p.link('functions', 'Which NIFs?'),

  'What they get done',
  p.timeseries('Reductions', 'How much Erlang work is done? Falls while utilization does not: something else eats the time.', 'ops', [
    ['sum by (instance) (rate(beam_reductions_total{@}[$__rate_interval]))', '{{instance}}'],
  ]) + p.size(8, 8),
  p.timeseries('Context switches', 'How often is a process scheduled in?', 'ops', [
    ['sum by (instance) (rate(beam_context_switches_total{@}[$__rate_interval]))', '{{instance}}'],
  ]) + p.size(8, 8),
  p.timeseries('Port input and output', 'How much goes through ports, as erlang:statistics(io) counts?', 'Bps', [
    ['sum by (direction) (rate(beam_io_bytes_total{@}[$__rate_interval]))', '{{direction}}'],
  ]) + p.size(8, 8),
])

local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';

d.dashboard('overview', 'Overview', 'Every VM watched: which one is in trouble, and of what kind. Click on a series to look at that VM.', [
  p.stat('VMs watched', 'How many VMs are being read? Fewer than exporters: one has lost its VM.', 'short', 'sum(beam_up{@})') + p.plain
  + p.limits([]) + p.link('exporter', 'Why is one missing?'),
  p.stat('Busiest schedulers', 'Has any VM no scheduler time left? Work of normal schedulers, without sleep and busy wait.', 'percentunit',
         'max(sum by (instance) (beam_scheduler_utilization_ratio{@, kind="normal"}) / sum by (instance) (beam_schedulers_online{@, kind="normal"}))')
  + p.limits([[0.7, 'orange'], [0.9, 'red']]) + p.max(1) + p.link('schedulers', 'What do they do?'),
  p.stat('Longest mailbox', 'Does a process not keep up with its messages?', 'short', 'max(beam_process_message_queue_length_top{@}) or max(beam_up{@}) * 0')
  + p.limits([[1000, 'orange'], [10000, 'red']]) + p.link('processes', 'Which process?'),
  p.stat('Free space in carriers', 'How much memory do the VMs hold without using it?', 'bytes', 'sum(beam_allocator_free_bytes{@})')
  + p.link('memory', 'Which allocator?'),
  p.stat('Nearest limit', 'Is a VM about to run out of atoms, processes, ports or files?', 'percentunit',
         'max(%s)' % std.join('\n  or ', ['label_replace(beam_%s{@} / beam_%s, "limit", "%s", "", "")' % pair for pair in [
           ['atoms', 'atoms_limit', 'atoms'],
           ['processes', 'processes_limit', 'processes'],
           ['ports', 'ports_limit', 'ports'],
           ['vm_open_fds', 'vm_max_fds', 'files'],
         ]]))
  + p.limits([[0.6, 'orange'], [0.8, 'red']]) + p.max(1) + p.link('processes', 'Which limit?'),
  p.stat('Restarts', 'Did a VM end and come again in the time shown?', 'short', 'sum(increase(beam_target_restarts_total{@}[$__range]))') + p.plain
  + { fieldConfig+: { defaults+: { decimals: 0 } } } + p.limits([[1, 'orange'], [3, 'red']]) + p.link('exporter', 'When?'),

  p.table('VMs', 'Which VMs are there, what are they, and what do they use? Click on one to follow it.', ['instance'], [
    ['instance', 'VM'],
    ['otp_release', 'OTP'],
    ['max by (instance, otp_release, erts_version, flavor) (beam_vm_info{@})', 'Seen'],
    ['erts_version', 'ERTS'],
    ['flavor', 'Flavor'],
    ['max by (instance) (beam_vm_start_time_seconds{@}) * 1000', 'Started', 'dateTimeAsIso'],
    ['sum by (instance) (rate(beam_vm_cpu_seconds_total{@}[$__rate_interval]))', 'CPU (cores)', 'short'],
    ['sum by (instance) (beam_scheduler_utilization_ratio{@, kind="normal"}) / sum by (instance) (beam_schedulers_online{@, kind="normal"})', 'Schedulers', 'percentunit'],
    ['max by (instance) (beam_memory_resident_bytes{@})', 'Resident', 'bytes'],
    ['max by (instance) (beam_memory_blocks_bytes{@}) / max by (instance) (beam_memory_resident_bytes{@})', 'In use', 'percentunit'],
    ['max by (instance) (beam_processes{@})', 'Processes', 'short'],
    ['max by (instance) (beam_vm_threads{@})', 'Threads', 'short'],
  ]) + p.size(24, 5) + p.cell_link('schedulers', 'Follow this VM', 'VM', 'instance')
  + { transformations: [super.transformations[0], super.transformations[1] { options+: { excludeByName+: { 'Value #A': true } } }] },

  'CPU',
  p.timeseries('Scheduler utilization', 'Which VM has no scheduler time left?', 'percentunit', [
    ['sum by (instance) (beam_scheduler_utilization_ratio{@, kind="normal"}) / sum by (instance) (beam_schedulers_online{@, kind="normal"})', '{{instance}}'],
  ]) + p.max(1) + p.link('schedulers', 'What do its schedulers do?', 'instance'),
  p.timeseries('Hottest functions', 'Which Erlang functions burn the CPU? In cores, own time.', 'suffix: cores', [
    [p.functions(8, 'beam_function_cpu_seconds_total'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.stacked() + p.link('functions', 'Whose BIFs, NIFs and copies?'),

  'Memory',
  p.timeseries('Resident memory', 'Which VM grows?', 'bytes', [['max by (instance) (beam_memory_resident_bytes{@})', '{{instance}}']])
  + p.link('memory', 'What is it made of?', 'instance'),
  p.timeseries('Share of carriers that is free', 'Which VM holds memory that it does not use? Above half for long: fragmentation.', 'percentunit', [
    ['sum by (instance) (beam_allocator_free_bytes{@}) / sum by (instance) (beam_allocator_carriers_bytes{@})', '{{instance}}'],
  ]) + p.max(1) + p.link('memory', 'Which allocator?', 'instance'),

  'Processes and limits',
  p.timeseries('Longest mailbox', 'Which VM has a process that does not keep up?', 'short', [
    ['max by (instance) (beam_process_message_queue_length_top{@}) or max by (instance) (beam_up{@}) * 0', '{{instance}}'],
  ]) + p.link('processes', 'Which process?', 'instance') + p.size(8, 8),
  p.timeseries('Run queues', 'Where does work wait for a scheduler?', 'short', [['sum by (instance) (beam_run_queue_length{@})', '{{instance}}']])
  + p.link('schedulers', 'Which scheduler?', 'instance') + p.size(8, 8),
  p.table('Alerts', 'Which alerts of beam_exporter are pending or firing? Empty without its rules (dashboards/rules).', ['job'], [
    ['alertname', 'Alert'],
    ['max by (alertname, alertstate, severity, instance) (ALERTS{@, alertname=~"Beam.+"})', 'Active'],
    ['alertstate', 'State'],
    ['severity', 'Severity'],
    ['instance', 'VM'],
  ]) + { transformations: [super.transformations[0], super.transformations[1] { options+: { excludeByName: { Time: true, Value: true } } }] }
  + p.cell_link('schedulers', 'Follow this VM', 'VM', 'instance') + p.size(8, 8),
])

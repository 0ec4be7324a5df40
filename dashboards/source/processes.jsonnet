local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';
local of_limit(thing) = 'max(beam_%s{@} / beam_%s_limit)' % [thing, thing];
local largest(family) = p.top(10, 'max by (process) (max_over_time(%s{@}[WINDOW]))' % family);

d.dashboard('processes', 'Processes & mailboxes', 'How many processes, how large, and who does not keep up with messages.', [
  p.stat('Processes', 'How many are there?', 'short', 'sum(beam_processes{@})'),
  p.stat('Messages waiting', 'How many messages wait, in all mailboxes together?', 'short', 'sum(beam_process_message_queue_length_gsum{@})')
  + p.limits([[10000, 'orange'], [100000, 'red']]),
  p.stat('All heaps', 'How much do process heaps take?', 'bytes', 'sum(beam_process_heap_bytes_gsum{@})') + p.link('memory', 'Of what memory?'),
  p.stat('Mean heap', 'How large is a process?', 'bytes', 'sum(beam_process_heap_bytes_gsum{@}) / sum(beam_process_heap_bytes_gcount{@})'),
  p.stat('Collections', 'How often is garbage collected?', 'ops', 'sum(rate(beam_garbage_collections_total{@}[$__rate_interval]))')
  + p.link('functions', 'Whose garbage?'),
  p.stat('ETS tables', 'How many tables? The VM was set up for a number, and does not refuse more.', 'short', 'sum(beam_ets_tables{@})'),

  'Mailboxes',
  p.timeseries('Longest mailboxes', 'Which processes do not keep up?', 'short', [[largest('beam_process_message_queue_length_top'), '{{process}}']])
  + p.legend_table(['max']) + p.link('functions', 'What do they work on?'),
  p.heatmap('Mailboxes of all processes', 'Does one process not keep up, or do all of them?', 'short', 'sum by (le) (beam_process_message_queue_length_bucket{@})'),

  'Heaps',
  p.timeseries('Largest heaps', 'Which processes are large?', 'bytes', [[largest('beam_process_heap_bytes_top'), '{{process}}']])
  + p.legend_table(['max']) + p.link('memory', 'What does that do to memory?'),
  p.heatmap('Heaps of all processes', 'Are there many small processes, or a few large ones?', 'bytes', 'sum by (le) (beam_process_heap_bytes_bucket{@})'),

  'Work',
  p.timeseries('CPU by process', 'Which processes work?', 'suffix: cores', [[p.functions(10, 'beam_process_cpu_seconds_total', by='process'), '{{process}}']])
  + p.stacked() + p.link('functions', 'In which functions?'),
  p.timeseries('Garbage collections', 'Does the VM collect more than it did?', 'ops', [
    ['sum by (instance) (rate(beam_garbage_collections_total{@}[$__rate_interval]))', '{{instance}}'],
  ]) + p.link('functions', 'Whose garbage?'),

  'Limits',
  p.bars('Used of what there can be', 'What will the VM run out of first? It ends when it needs an atom more than its limit.', 'percentunit', [
    [of_limit('atoms'), 'atoms'],
    [of_limit('processes'), 'processes'],
    [of_limit('ports'), 'ports'],
    ['max(beam_ets_tables{@} / beam_ets_tables_limit)', 'ETS tables'],
    ['max(beam_vm_open_fds{@} / beam_vm_max_fds)', 'open files'],
  ]) + p.max(1) + p.limits([[0.6, 'orange'], [0.8, 'red']]),
  p.timeseries('How many', 'What leaks? A steady slope is a leak, a jump is a peak.', 'short', [
    ['sum(beam_processes{@})', 'processes'],
    ['sum(beam_ports{@})', 'ports'],
    ['sum(beam_ets_tables{@})', 'ETS tables'],
    ['sum(beam_vm_open_fds{@})', 'open files'],
  ]) + p.size(6, 8),
  p.timeseries('Atoms', 'Does something make atoms from what comes from outside? They are never freed.', 'short', [['sum by (instance) (beam_atoms{@})', '{{instance}}']])
  + p.size(6, 8),
])

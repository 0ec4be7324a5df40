local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';
local cores = 'suffix: cores';
local rate(family) = 'sum by (module, function) (rate(%s{@}[$__range]))' % family;

d.dashboard('functions', 'Hot functions', 'Which code burns the CPU, and on whose behalf. Times are sampled; a core is one second of CPU time in a second.', [
  'Erlang functions',
  p.timeseries('Functions, own time', 'Which functions burn the CPU? The BIFs, NIFs and collections that they cause are included.', cores, [
    [p.functions(10, 'beam_function_cpu_seconds_total'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.stacked() + p.legend_table() + p.size(24, 9) + p.link('schedulers', 'What do schedulers do meanwhile?'),
  p.table('Functions, whole range', 'Who takes most, alone and with all that it calls?', ['module', 'function'], [
    ['module', 'Module'],
    ['function', 'Function'],
    ['topk(25, %s)' % rate('beam_function_cpu_seconds_total'), 'Own (cores)', 'short'],
    ['%s and topk(25, %s)' % [rate('beam_function_inclusive_cpu_seconds_total'), rate('beam_function_cpu_seconds_total')], 'With what it calls (cores)', 'short'],
  ]) + p.sorted('Own (cores)') + p.size(12, 9),
  p.timeseries('Functions, with all they call', 'Under which functions does the time go? A parent counts with its children.', cores, [
    [p.functions(10, 'beam_function_inclusive_cpu_seconds_total'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.legend_table(['mean']) + p.size(12, 9),

  'Native code',
  p.timeseries('BIFs', 'Which built-in functions take the time?', cores, [[p.functions(10, 'beam_bif_cpu_seconds_total'), '{{module}}:{{function}}']])
  + p.named_functions + p.stacked() + p.legend_table(['mean']),
  p.timeseries('NIFs', 'Which NIFs take the time, on normal and dirty schedulers?', cores, [[p.functions(10, 'beam_nif_cpu_seconds_total'), '{{module}}:{{function}}']])
  + p.named_functions + p.stacked() + p.legend_table(['mean']) + p.link('schedulers', 'Do they hold a scheduler?'),

  'Blame',
  p.timeseries('Copying of terms, by who causes it', 'Who sends, stores or fetches large terms? (copy_struct and its family)', cores, [
    [p.functions(8, 'beam_blame_cpu_seconds_total', and=', native="copy_struct"'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.stacked() + p.legend_table(['mean']) + p.link('processes', 'Whose mailbox?'),
  p.timeseries('Garbage collection, by who causes it', 'Whose garbage is it?', cores, [
    [p.functions(8, 'beam_blame_cpu_seconds_total', and=', native="garbage_collect"'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.stacked() + p.legend_table(['mean']) + p.link('memory', 'What does memory look like?'),
  p.timeseries('All that is blamed, by native function', 'How much do copying, collecting and what else blame.functions names cost?', cores, [
    ['sum by (native) (rate(beam_blame_cpu_seconds_total{@}[$__rate_interval]))', '{{native}}'],
  ]),

  p.timeseries('New carriers, by who made them grow', 'Where does memory that stays come from? Needs growth.enabled.', 'Bps', [
    [p.functions(8, 'beam_allocator_growth_bytes_total'), '{{module}}:{{function}}'],
  ]) + p.named_functions + p.stacked() + p.legend_table(['mean']) + p.link('memory', 'In which allocator?'),

  'Processes',
  p.timeseries('CPU by process', 'Which processes work? By registered name, else by what they began with.', cores, [
    [p.functions(12, 'beam_process_cpu_seconds_total', by='process'), '{{process}}'],
  ]) + p.stacked() + p.legend_table() + p.size(24, 9) + p.link('processes', 'How large are they?'),
])

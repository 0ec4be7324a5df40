local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';
local rate(family) = 'sum(rate(%s{@}[$__rate_interval]))' % family;
local yes_no = { '0': { text: 'no', color: 'orange', index: 0 }, '1': { text: 'yes', color: 'green', index: 1 } };

d.dashboard('exporter', 'Exporter health', 'How much of the other dashboards to believe, and what the exporter itself costs.', [
  p.stat('Reading a VM', 'Is each exporter attached to a VM?', 'short', 'min(beam_up{@})') + p.plain + p.said(yes_no),
  p.stat('Age of the figures', 'Is an exporter stuck? Figures are made anew each second.', 's', 'time() - min(beam_exporter_snapshot_timestamp_seconds{@})')
  + p.limits([[10, 'orange'], [60, 'red']]),
  p.stat('Samples lost', 'Which share of the samples never reached us?', 'percentunit',
         '%s / (%s + %s)' % [rate('beam_samples_lost_total'), rate('beam_samples_lost_total'), rate('beam_samples_total')])
  + p.limits([[0.01, 'orange'], [0.05, 'red']]),
  p.stat('Samples without a name', 'Which share of the samples ends in no function and no state?', 'percentunit',
         '%s / %s' % [rate('beam_samples_unattributed_total'), rate('beam_samples_total')]) + p.limits([[0.001, 'orange'], [0.01, 'red']]),
  p.stat('CPU of the exporter', 'What does watching cost?', 'suffix: cores', rate('process_cpu_seconds_total')),
  p.stat('Memory of the exporter', 'What does watching cost?', 'bytes', 'max(process_resident_memory_bytes{@})'),

  'What it can see here',
  p.table('Features', 'What do rights, kernel or VM deny the exporter? The line in its log names the mend. Of ebpf, tick and perf one is enough.', ['feature'], [
    ['feature', 'Feature'],
    ['min by (feature) (beam_exporter_feature_enabled{@})', 'Enabled'],
  ]) + p.said(yes_no) + p.size(6, 8),
  p.table('Collectors', 'Does each part of reading work, how long does it take, and how old are its figures?', ['collector'], [
    ['collector', 'Collector'],
    ['min by (collector) (beam_exporter_collector_success{@})', 'Succeeds', 'short'],
    ['max by (collector) (beam_exporter_collector_duration_seconds{@})', 'Takes', 's'],
    ['time() - min by (collector) (beam_exporter_collector_last_success_timestamp_seconds{@})', 'Age', 's'],
    ['sum by (collector) (rate(beam_exporter_torn_reads_total{@}[$__range]))', 'Torn reads per second', 'short'],
  ]) + p.column('Succeeds', 'mappings', [{ type: 'value', options: yes_no }]) + p.size(9, 8),
  p.table('Exporters and VMs', 'Which build watches which VM, with which struct layout?', ['instance'], [
    ['instance', 'VM'],
    ['max by (instance, layout, build_id) (beam_vm_info{@})', 'VM seen'],
    ['layout', 'Layout'],
    ['max by (instance, version, revision) (beam_exporter_build_info{@})', 'Exporter seen'],
    ['version', 'Exporter'],
    ['max by (instance) (process_start_time_seconds{@}) * 1000', 'Since', 'dateTimeAsIso'],
    ['sum by (instance) (beam_target_restarts_total{@})', 'VM restarts', 'short'],
  ]) + p.size(9, 8) + p.cell_link('overview', 'Look at this VM', 'VM', 'instance')
  + { transformations: [super.transformations[0], super.transformations[1] { options+: { excludeByName+: {
    'Value #A': true, 'Value #B': true, build_id: true, revision: true,
  } } }] },

  'Sampling',
  p.timeseries('Samples', 'Are samples taken, and do they reach us? 99 per second of CPU time by default.', 'ops', [
    [rate('beam_samples_total'), 'taken'],
    ['sum by (reason) (rate(beam_samples_lost_total{@}[$__rate_interval]))', 'lost: {{reason}}'],
    ['sum by (reason) (rate(beam_samples_unattributed_total{@}[$__rate_interval]))', 'no name: {{reason}}'],
  ]) + p.link('schedulers', 'What was seen?'),
  p.heatmap('Skid', 'How long after the instant was a sample complete? eBPF and tick: 0. Late reads are wrong more often.', 's',
            'sum by (le) (increase(beam_sample_skid_seconds_bucket{@}[$__rate_interval]))'),
  p.timeseries('Mean skid', 'How late are reads on average?', 's', [
    ['sum(rate(beam_sample_skid_seconds_sum{@}[$__rate_interval])) / sum(rate(beam_sample_skid_seconds_count{@}[$__rate_interval]))', 'mean'],
  ]) + p.size(8, 8),
  p.timeseries('Cost of one sample in the kernel', 'How long does a sample hold the thread that it is of? Absent with the perf source.', 's', [
    ['%s / %s' % [rate('beam_exporter_sampling_seconds_total'), rate('beam_exporter_sampling_runs_total')], 'eBPF program'],
  ]) + p.size(8, 8),
  p.timeseries('Share of the VM\'s time taken by sampling', 'What does sampling cost the VM?', 'percentunit', [
    ['%s / %s' % [rate('beam_exporter_sampling_seconds_total'), rate('beam_vm_cpu_seconds_total')], 'of its CPU time'],
  ]) + p.size(8, 8),

  'The exporter itself',
  p.timeseries('Torn reads', 'How often did the VM change while we looked? Such looks are dropped.', 'ops', [
    ['sum by (collector) (rate(beam_exporter_torn_reads_total{@}[$__rate_interval]))', '{{collector}}'],
  ]) + p.size(8, 8),
  p.timeseries('Duration of collectors', 'Does reading take longer than it did?', 's', [
    ['max by (collector) (beam_exporter_collector_duration_seconds{@})', '{{collector}}'],
  ]) + p.size(8, 8),
  p.timeseries('Memory and files', 'Does the exporter leak?', 'bytes', [
    ['max(process_resident_memory_bytes{@})', 'resident'],
    ['max(process_open_fds{@})', 'open files'],
  ]) + p.size(8, 8) + p.column('open files', 'unit', 'short') + p.column('open files', 'custom.axisPlacement', 'right'),
])

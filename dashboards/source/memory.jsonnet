local d = import 'dashboard.libsonnet';
local p = import 'panels.libsonnet';
local by_allocator(family) = 'sum by (allocator) (%s{@, allocator=~"$allocator"})' % family;
local by_kind(family) = 'sum by (carrier) (%s{@, allocator=~"$allocator"})' % family;
local by_instance(family) = p.top(10, 'max by (allocator, index) (max_over_time(%s{@, allocator=~"$allocator"}[WINDOW]))' % family);

d.dashboard('memory', 'Memory & fragmentation', 'What resident memory is made of, and how much of it is holes. index N is the allocator instance of scheduler N, 0 that of all other threads.', [
  p.stat('Resident', 'How much memory does the kernel count?', 'bytes', 'sum(beam_memory_resident_bytes{@})'),
  p.stat('Blocks in use', 'How much of it holds data of the VM?', 'bytes', 'sum(beam_memory_blocks_bytes{@})'),
  p.stat('Free in carriers', 'How much is held and not used?', 'bytes', 'sum(beam_allocator_free_bytes{@})'),
  p.stat('Free share of carriers', 'Is it worth caring?', 'percentunit', 'sum(beam_allocator_free_bytes{@}) / sum(beam_allocator_carriers_bytes{@})')
  + p.limits([[0.5, 'orange'], [0.75, 'red']]) + p.max(1),
  p.stat('Outside carriers', 'How much is not the allocators\'? Code, stacks, C libraries, NIFs.', 'bytes', 'sum(beam_memory_outside_carriers_bytes{@})'),
  p.stat('Carriers kept for later', 'How much address space does the VM keep for the next carriers?', 'bytes', 'sum(beam_memory_mseg_cache_bytes{@})'),

  'What resident memory is made of',
  p.timeseries('Resident memory by part', 'Which part of resident memory grows?', 'bytes', [['sum by (part) (beam_memory_resident_part_bytes{@})', '{{part}}']])
  + p.stacked() + p.legend_table() + p.size(14, 9),
  p.timeseries('From blocks to resident', 'Where is the gap: data, holes in carriers, or what is not the allocators\'?', 'bytes', [
    ['sum(beam_memory_blocks_bytes{@})', 'blocks'],
    ['sum(beam_memory_carriers_bytes{@})', 'carriers'],
    ['sum(beam_memory_anonymous_bytes{@})', 'anonymous'],
    ['sum(beam_memory_resident_bytes{@})', 'resident'],
  ]) + p.size(10, 9),

  'By allocator',
  p.table('Allocators', 'Which allocator holds how much, and how broken up is what is free? Near 1: many small holes.', ['allocator'], [
    ['allocator', 'Allocator'],
    [by_allocator('beam_allocator_carriers_bytes'), 'Carriers', 'bytes'],
    [by_allocator('beam_allocator_blocks_bytes'), 'Blocks', 'bytes'],
    [by_allocator('beam_allocator_free_bytes'), 'Free', 'bytes'],
    ['sum by (allocator) (beam_allocator_carriers_bytes{@, allocator=~"$allocator", carrier="mbcs_pool"})', 'Carriers in the pool', 'bytes'],
    [by_allocator('beam_allocator_blocks_bytes') + ' / ' + by_allocator('beam_allocator_carriers_bytes'), 'Used', 'percentunit'],
    ['avg by (allocator) (beam_allocator_utilization_ratio{@, allocator=~"$allocator", carrier="mbcs"})', 'Used, not in the pool', 'percentunit'],
    ['max by (allocator) (beam_allocator_largest_free_block_bytes{@, allocator=~"$allocator"})', 'Largest free block', 'bytes'],
    ['max by (allocator) (beam_allocator_carrier_fragmentation_ratio{@, allocator=~"$allocator"})', 'Broken up, in carriers', 'percentunit'],
    ['max by (allocator) (beam_allocator_fragmentation_ratio{@, allocator=~"$allocator"})', 'Broken up, overall', 'percentunit'],
  ]) + p.sorted('Free') + p.size(24, 9)
  + { fieldConfig+: { overrides+: [{ matcher: { id: 'byName', options: 'Allocator' }, properties: [{ id: 'links', value: [{
    title: 'Only this allocator',
    url: '/d/beam-memory?${datasource:queryparam}&${job:queryparam}&${pod:queryparam}&${instance:queryparam}&${__url_time_range}&var-allocator=${__value.text}',
  }] }] }] } },
  p.timeseries('Carriers', 'Which allocator takes memory from the system?', 'bytes', [[by_allocator('beam_allocator_carriers_bytes'), '{{allocator}}']])
  + p.stacked() + p.link('functions', 'Who made them grow?'),
  p.timeseries('Free space in carriers', 'Which allocator has the holes?', 'bytes', [[by_allocator('beam_allocator_free_bytes'), '{{allocator}}']])
  + p.stacked() + p.link('functions', 'Who made them grow?'),
  p.timeseries('New carriers, by allocator', 'How fast do carriers come? What goes again is not counted. Needs growth.enabled.', 'Bps', [
    ['sum by (allocator) (rate(beam_allocator_growth_bytes_total{@, allocator=~"$allocator"}[$__rate_interval]))', '{{allocator}}'],
  ]) + p.link('functions', 'Who made them grow?'),
  p.timeseries('Carriers by kind', 'How many are there? Many sbcs: large single blocks; mbcs_pool: given up, for any instance to take.', 'short', [
    [by_kind('beam_allocator_carriers'), '{{carrier}}'],
  ]) + p.size(6, 8),
  p.timeseries('Blocks by kind', 'Is there more data, or larger data?', 'short', [
    [by_kind('beam_allocator_blocks'), '{{carrier}}'],
  ]) + p.size(6, 8),

  'Carriers',
  p.heatmap('Carriers by how full they are', 'Are carriers full, or nearly empty and never given back? One observation for each multi-block carrier.', 'percentunit',
            'sum by (le) (beam_carrier_utilization_ratio_bucket{@, allocator=~"$allocator"})') + p.size(12, 9),
  p.timeseries('Use of carriers by kind', 'Which kind of carrier is badly used?', 'percentunit', [
    [by_kind('beam_allocator_blocks_bytes') + ' / ' + by_kind('beam_allocator_carriers_bytes'), '{{carrier}}'],
    ['sum(beam_carrier_utilization_ratio_gsum{@, allocator=~"$allocator"}) / sum(beam_carrier_utilization_ratio_gcount{@, allocator=~"$allocator"})', 'mean of multi-block carriers'],
  ]) + p.max(1) + p.size(12, 9),

  'By allocator instance',
  p.timeseries('Free space by instance', 'Does one scheduler\'s instance hold the holes, where others cannot use them? Carriers in the pool belong to none.', 'bytes', [
    [by_instance('beam_allocator_instance_free_bytes'), '{{allocator}} {{index}}'],
  ]) + p.link('schedulers', 'Is that scheduler given all the work?'),
  p.timeseries('Largest free block by instance', 'Could a large block still be placed?', 'bytes', [
    [by_instance('beam_allocator_instance_largest_free_block_bytes'), '{{allocator}} {{index}}'],
  ]),
  p.timeseries('Carriers by instance', 'Which instance takes memory?', 'bytes', [[by_instance('beam_allocator_instance_carriers_bytes'), '{{allocator}} {{index}}']]),
  p.timeseries('Blocks by instance', 'Which instance uses it?', 'bytes', [[by_instance('beam_allocator_instance_blocks_bytes'), '{{allocator}} {{index}}']]),
], [d.variable('allocator', 'Allocator', 'label_values(beam_allocator_carriers_bytes{job=~"$job", instance=~"$instance"}, allocator)')])

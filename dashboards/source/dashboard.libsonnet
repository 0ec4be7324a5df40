// The parts that all dashboards share: variables, links to each other, layout.
local variable(name, label, query, more={}) = {
  type: 'query',
  name: name,
  label: label,
  datasource: { type: 'prometheus', uid: '${datasource}' },
  definition: query,
  query: { query: query, refId: 'variable-' + name },
  refresh: 2,  // when the time range changes
  sort: 1,
  multi: true,
  includeAll: true,
  current: { selected: true, text: ['All'], value: ['$__all'] },
} + more;

local variables = [
  {
    type: 'datasource',
    name: 'datasource',
    label: 'Data source',
    query: 'prometheus',
    regex: '',
    refresh: 1,
    current: { text: 'default', value: 'default' },
  },
  variable('job', 'Job', 'label_values(beam_up, job)'),
  // Outside Kubernetes no series has a pod: there is nothing to choose, and All matches the series without that label.
  variable('pod', 'Pod', 'label_values(beam_up{job=~"$job"}, pod)', { allValue: '.*' }),
  variable('instance', 'Instance', 'label_values(beam_up{job=~"$job", pod=~"$pod"}, instance)'),
];

// Places panels from left to right, and on a new line when 24 columns are full. A string begins a section with that title.
local lay(items) = std.foldl(
  function(so_far, item)
    local heading = std.isString(item);
    local panel = if heading then { type: 'row', title: item, collapsed: false, panels: [], gridPos: { w: 24, h: 1 } } else item;
    local breaks = heading || so_far.x + panel.gridPos.w > 24;
    local x = if breaks then 0 else so_far.x;
    local y = if breaks then so_far.bottom else so_far.y;
    {
      x: x + panel.gridPos.w,
      y: y,
      bottom: std.max(so_far.bottom, y + panel.gridPos.h),
      panels: so_far.panels + [panel { id: std.length(so_far.panels) + 1, gridPos+: { x: x, y: y } }],
    },
  items,
  { x: 0, y: 0, bottom: 0, panels: [] },
).panels;

{
  variable:: variable,
  dashboard(name, title, description, items, more_variables=[]):: {
    uid: 'beam-' + name,
    title: 'BEAM / ' + title,
    description: description,
    tags: ['beam_exporter'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,  // one crosshair for all panels
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: variables + more_variables },
    annotations: { list: [] },
    links: [{
      type: 'dashboards',
      title: 'BEAM',
      icon: 'external link',
      tooltip: '',
      tags: ['beam_exporter'],
      asDropdown: false,
      includeVars: true,
      keepTime: true,
      targetBlank: false,
    }],
    panels: lay(items),
  },
}

// The parts of panels. In a query, {@ is replaced by the selector of the variables: beam_up{@} or beam_up{@, kind="x"}.
// A panel is a kind (timeseries, stat, bars, table, heatmap) plus its properties (size, link, stacked ...).
local selector = 'job=~"$job", instance=~"$instance"';
local datasource = { type: 'prometheus', uid: '${datasource}' };
local refs = std.stringChars('ABCDEFGHIJKLMNOP');
local reduce = { calcs: ['lastNotNull'], fields: '', values: false };

local target(ref, expr, legend, more={}) = {
  refId: ref,
  datasource: datasource,
  editorMode: 'code',
  expr: std.strReplace(expr, '{@', '{' + selector),
  legendFormat: legend,
  range: true,
} + more;

// queries: [[expression, legend], ...]
local panel(type, title, question, unit, queries, more={}) = {
  type: type,
  title: title,
  description: question,
  datasource: datasource,
  gridPos: { w: 12, h: 8 },
  fieldConfig: { defaults: { unit: unit, links: [] }, overrides: [] },
  targets: [target(refs[i], queries[i][0], queries[i][1], more) for i in std.range(0, std.length(queries) - 1)],
};
local now = { instant: true, range: false };

{
  timeseries(title, question, unit, queries):: panel('timeseries', title, question, unit, queries) + {
    fieldConfig+: { defaults+: {
      min: 0,
      color: { mode: 'palette-classic' },
      custom: {
        drawStyle: 'line',
        lineWidth: 1,
        fillOpacity: 10,
        showPoints: 'never',
        stacking: { mode: 'none', group: 'A' },
      },
    } },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  },
  stat(title, question, unit, expr, legend=''):: panel('stat', title, question, unit, [[expr, legend]]) + self.size(4, 4) + {
    fieldConfig+: { defaults+: { color: { mode: 'thresholds' }, thresholds: $.steps([]) } },
    options: {
      reduceOptions: reduce,
      colorMode: 'value',
      graphMode: 'area',
      textMode: 'auto',
      justifyMode: 'auto',
      orientation: 'auto',
    },
  },
  bars(title, question, unit, queries):: panel('bargauge', title, question, unit, queries, now) + {
    fieldConfig+: { defaults+: { min: 0, color: { mode: 'thresholds' }, thresholds: $.steps([]) } },
    options: {
      reduceOptions: reduce,
      displayMode: 'basic',
      orientation: 'horizontal',
      showUnfilled: true,
      valueMode: 'color',
      sizing: 'auto',
    },
  },
  // columns: [[label or expression, title, unit], ...]. Expressions, numbered A, B ... in their order, must have `by` in
  // common: the rows are joined by it.
  table(title, question, by, columns)::
    local asked = [column for column in columns if std.length(std.findSubstr('(', column[0])) > 0];
    local field(column) = local at = std.find(column, asked);
                          if at == [] then column[0] else if std.length(asked) == 1 then 'Value' else 'Value #' + refs[at[0]];
    panel('table', title, question, 'short', [[column[0], ''] for column in asked], now { format: 'table' }) + {
      options: { showHeader: true, cellHeight: 'sm', sortBy: [] },
      fieldConfig+: {
        defaults+: { custom: { align: 'auto', filterable: false } },
        overrides: [{
          matcher: { id: 'byName', options: column[1] },
          properties: [{ id: 'unit', value: column[2] }],
        } for column in columns if std.length(column) > 2],
      },
      transformations: [{ id: 'merge', options: {} }, { id: 'organize', options: {
        excludeByName: { Time: true } + { [label]: true for label in std.setDiff(std.set(by), std.set(std.map(field, columns))) },
        indexByName: { [field(columns[i])]: i for i in std.range(0, std.length(columns) - 1) },
        renameByName: { [field(column)]: column[1] for column in columns },
      } }],
    },
  // Turns cumulative buckets into the count of each bucket.
  heatmap(title, question, unit, expr):: panel('heatmap', title, question, unit, [[expr, '{{le}}']], { format: 'heatmap' }) + {
    options: {
      calculate: false,
      cellGap: 1,
      showValue: 'never',
      color: { mode: 'scheme', scheme: 'Oranges', scale: 'exponential', exponent: 0.5, fill: 'dark-orange', steps: 64, reverse: false },
      filterValues: { le: 1e-9 },
      rowsFrame: { layout: 'auto' },
      yAxis: { unit: unit, axisPlacement: 'left', reverse: false },
      tooltip: { mode: 'single', yHistogram: false },
      legend: { show: true },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
    },
  },

  // The n largest series over the whole time range, each drawn over all of it; `per` computes them for a window.
  top(n, per):: '(%s) and topk(%d, %s)' % [std.strReplace(per, 'WINDOW', '$__rate_interval'), n, std.strReplace(per, 'WINDOW]', '$__range] @ end()')],
  functions(n, family, by='module, function', and='')::
    self.top(n, 'sum by (%s) (rate(%s{@%s}[WINDOW]))' % [by, family, and]),

  size(w, h):: { gridPos+: { w: w, h: h } },
  max(value):: { fieldConfig+: { defaults+: { max: value } } },
  stacked(mode='normal'):: { fieldConfig+: { defaults+: { custom+: { fillOpacity: 60, lineWidth: 0, stacking+: { mode: mode } } } } },
  legend_table(calcs=['mean', 'max']):: { options+: { legend+: { displayMode: 'table', placement: 'right', calcs: calcs, sortBy: { mean: 'Mean', max: 'Max' }[calcs[0]], sortDesc: true } } },
  plain:: { options+: { graphMode: 'none' } },
  // ":other" and ":none" have no module.
  named_functions:: { transformations: [{ id: 'renameByRegex', options: { regex: '^:(.*)$', renamePattern: '$1' } }] },
  steps(limits):: {
    mode: 'absolute',
    steps: [{ color: 'green', value: null }] + [{ color: limit[1], value: limit[0] } for limit in limits],
  },
  limits(values):: { fieldConfig+: { defaults+: { thresholds: $.steps(values) } } },
  sorted(column):: { options+: { sortBy: [{ displayName: column, desc: true }] } },
  column(title, id, value):: { fieldConfig+: { overrides+: [{ matcher: { id: 'byName', options: title }, properties: [{ id: id, value: value }] }] } },
  said(values):: { fieldConfig+: { defaults+: { mappings: [{ type: 'value', options: values }] } } },
  painted(colors):: { fieldConfig+: { overrides+: [{
    matcher: { id: 'byName', options: name },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: colors[name] } }],
  } for name in std.objectFields(colors)] } },
  // A click on a series or a cell opens another dashboard with the same time range and variables; the value of `label` is chosen there.
  link(dashboard, title, label='')::
    local field = if label == '' then '' else '&var-%s=${__field.labels.%s}' % [label, label];
    local kept = if label == 'instance' then '${datasource:queryparam}&${job:queryparam}&${pod:queryparam}' else '${__all_variables}';
    { fieldConfig+: { defaults+: { links+: [{ title: title, url: '/d/beam-%s?%s&${__url_time_range}%s' % [dashboard, kept, field] }] } } },
  cell_link(dashboard, title, column, variable):: { fieldConfig+: { overrides+: [{
    matcher: { id: 'byName', options: column },
    properties: [{ id: 'links', value: [{
      title: title,
      url: '/d/beam-%s?${datasource:queryparam}&${job:queryparam}&${pod:queryparam}&${__url_time_range}&var-%s=${__value.text}' % [dashboard, variable],
    }] }],
  }] } },
}

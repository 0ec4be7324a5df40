// The dashboards and rules as a monitoring mixin: install it with jb, then import it.
local dashboards = {
  overview: import 'overview.json',
  schedulers: import 'schedulers.json',
  functions: import 'functions.json',
  memory: import 'memory.json',
  processes: import 'processes.json',
  exporter: import 'exporter.json',
};

{
  grafanaDashboards+:: { ['beam-%s.json' % name]: dashboards[name] for name in std.objectFields(dashboards) },
  prometheusAlerts+:: { groups+: std.parseYaml(importstr 'rules/beam_alerts.yaml').groups },
  prometheusRules+:: { groups+: std.parseYaml(importstr 'rules/beam_recording.yaml').groups },
}

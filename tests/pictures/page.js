// Draws one dashboard: DASHBOARD is its JSON, each target with the `answer` of Prometheus in it.
const CELL = { height: 30, gap: 8 };
const finite = values => values.filter(value => value !== null && !Number.isNaN(value));

function named(panel) {
  const rename = panel.transformations?.find(one => one.id === "renameByRegex")?.options;
  return panel.targets.flatMap(target => target.answer.map(([labels, times, values]) => {
    const name = target.legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => labels[label] ?? "");
    return { labels, times, values, name: rename ? name.replace(new RegExp(rename.regex), rename.renamePattern) : name };
  }));
}

function stat(panel, series, box) {
  const { defaults } = panel.fieldConfig, values = finite(series[0].values), last = values[values.length - 1];
  const shown = byThreshold(last, defaults.thresholds.steps), said = defaults.mappings?.[0].options[last];
  box.innerHTML = `<b style="color:${said ? color(said.color) : shown}">${said ? said.text : format(last, defaults.unit)}</b>`;
  box.className += " stat";
  if (panel.options.graphMode === "none") return;
  const most = Math.max(defaults.max ?? 0, ...values) || 1;
  const line = values.map((value, at) => `${at / (values.length - 1) * 100},${30 - value / most * 28}`).join(" ");
  box.innerHTML += `<svg viewBox="0 0 100 30" preserveAspectRatio="none"><polygon points="0,30 ${line} 100,30" fill="${shown}" opacity="0.25"/>`
    + `<polyline points="${line}" fill="none" stroke="${shown}" vector-effect="non-scaling-stroke"/></svg>`;
}

function bargauge(panel, series, box) {
  const { defaults } = panel.fieldConfig;
  box.className += " bars";
  box.innerHTML = series.map(one => {
    const value = one.values[0], shown = byThreshold(value, defaults.thresholds.steps);
    return `<label>${one.name}</label><div><i style="width:${Math.min(1, value / defaults.max) * 100}%;background:${shown}"></i></div>`
      + `<b style="color:${shown}">${format(value, defaults.unit)}</b>`;
  }).join("");
}

function table(panel, _, box) {
  const organize = panel.transformations.find(one => one.id === "organize").options;
  const several = panel.targets.length > 1;
  const frames = panel.targets.map(target => target.answer.map(([labels, , [value]]) =>
    ({ ...labels, [several ? "Value #" + target.refId : "Value"]: value })));
  const keys = Object.keys(frames[0][0]).filter(key => frames.every(rows => rows.length === 0 || rows.some(row => key in row)));
  const rows = new Map();
  for (const row of frames.flat()) {
    const key = keys.map(name => row[name] ?? "").join("\0");
    rows.set(key, { ...rows.get(key), ...row });
  }
  const columns = [...new Set(frames.flat().flatMap(Object.keys))].filter(name => !organize.excludeByName[name])
    .sort((a, b) => (organize.indexByName[a] ?? 99) - (organize.indexByName[b] ?? 99));
  const title = name => organize.renameByName[name] ?? name;
  const sorted = [...rows.values()], by = panel.options.sortBy[0]?.displayName;
  if (by) { const column = columns.find(name => title(name) === by); sorted.sort((a, b) => b[column] - a[column]); }
  const words = name => (override(panel, title(name), "mappings") ?? panel.fieldConfig.defaults.mappings)?.[0].options;
  const cell = (row, name) => {
    if (typeof row[name] !== "number") return `<td${override(panel, title(name), "links") ? " class=link" : ""}>${row[name] ?? ""}`;
    const said = words(name)?.[row[name]];
    return said ? `<td style="color:${color(said.color)}">${said.text}` : `<td class=number>${format(row[name], override(panel, title(name), "unit"))}`;
  };
  box.className += " table";
  box.innerHTML = `<table><tr>${columns.map(name => `<th${typeof sorted[0][name] === "number" && !words(name) ? " class=number" : ""}>${title(name)}`).join("")}</tr>`
    + sorted.map(row => `<tr>${columns.map(name => cell(row, name)).join("")}</tr>`).join("") + "</table>";
}

const KINDS = { timeseries, heatmap, stat, bargauge, table };

function draw(panel, grid, width) {
  const { x, y, w, h } = panel.gridPos, unit = (width + CELL.gap) / 24, element = document.createElement("section");
  element.style = `left:${x * unit}px;top:${y * (CELL.height + CELL.gap)}px;width:${w * unit - CELL.gap}px;`
    + `height:${h * (CELL.height + CELL.gap) - CELL.gap}px`;
  grid.append(element);
  if (panel.type === "row") {
    element.className = "row";
    element.textContent = "⌄ " + panel.title;
    return;
  }
  element.innerHTML = `<h2>${panel.title}</h2><div class="box"></div>`;
  const series = named(panel), box = element.lastChild;
  if (series.length === 0) box.textContent = "No data";
  else KINDS[panel.type](panel, series, box);
}

document.fonts.load("12px Inter").then(() => {
  document.querySelector("h1").textContent = DASHBOARD.title;
  document.querySelector("nav").innerHTML = DASHBOARD.templating.list.filter(one => one.shown !== undefined)
    .map(one => `<span>${one.label}</span><em>${one.shown}</em>`).join("") + DASHBOARD.others.map(title => `<a>${title}</a>`).join("");
  const grid = document.querySelector("main");
  for (const panel of DASHBOARD.panels) draw(panel, grid, grid.clientWidth);
  document.title = "drawn";
});

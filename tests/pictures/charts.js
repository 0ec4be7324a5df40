// Time series and heat maps on uPlot, which Grafana itself draws with.
const GRID = { stroke: "rgba(204,204,220,0.07)", width: 1 };
const clock = (_, splits) => splits.map(time => new Date(time * 1000).toISOString().slice(11, 16));
const TIME = { incrs: [60, 120, 300, 600], space: 60 };
const wide = (_, labels) => 14 + 6.6 * Math.max(4, ...(labels ?? []).map(label => String(label).length));
const BINARY = Array.from({ length: 50 }, (_, power) => 2 ** power);
const AXIS = { stroke: "rgb(204,204,220)", grid: GRID, ticks: { ...GRID, size: 4 }, font: "12px Inter" };

function override(panel, name, id) {
  const found = panel.fieldConfig.overrides.filter(one => one.matcher.options === name).flatMap(one => one.properties);
  return found.find(property => property.id === id)?.value;
}

function timeseries(panel, series, box) {
  const { defaults } = panel.fieldConfig, stacking = defaults.custom.stacking.mode;
  series.forEach((one, at) => {
    one.color = color(override(panel, one.name, "color")?.fixedColor ?? PALETTE[at % PALETTE.length]);
    one.unit = override(panel, one.name, "unit") ?? defaults.unit;
    one.right = override(panel, one.name, "custom.axisPlacement") === "right";
  });
  const by = panel.options.legend.sortBy?.toLowerCase();
  const times = [...new Set(series.flatMap(one => one.times))].sort((a, b) => a - b);
  const aligned = series.map(one => {
    const at = new Map(one.times.map((time, index) => [time, one.values[index]]));
    return times.map(time => at.get(time) ?? null);
  });
  let drawn = aligned;
  if (stacking !== "none") {
    const whole = times.map((_, t) => stacking === "percent" ? aligned.reduce((sum, one) => sum + (one[t] ?? 0), 0) || 1 : 1);
    const sums = times.map(() => 0);
    drawn = aligned.map(one => one.map((value, t) => (sums[t] += (value ?? 0) / whole[t])));
  }
  const legend = document.createElement("div"), chart = document.createElement("div");
  const table = panel.options.legend.displayMode === "table";
  box.className += table ? " beside" : " below";
  box.append(chart, legend);
  legend.className = "legend";
  if (table) {
    const numbers = one => one.values.filter(value => value !== null && !Number.isNaN(value));
    const calculate = { mean: all => all.reduce((a, b) => a + b, 0) / all.length, max: all => Math.max(...all) };
    const listed = by ? [...series].sort((a, b) => calculate[by](numbers(b)) - calculate[by](numbers(a))) : series;
    legend.innerHTML = `<table><tr><th>Name<th>${panel.options.legend.calcs.join("<th>")}</tr>` + listed.map(one => `<tr><td><i style="background:${one.color}"></i>`
      + `${one.name}<td>${panel.options.legend.calcs.map(calc => format(calculate[calc](numbers(one)), one.unit)).join("<td>")}</tr>`).join("") + "</table>";
  } else {
    legend.innerHTML = series.map(one => `<span><i style="background:${one.color}"></i>${one.name}</span>`).join("");
  }
  const order = series.map((_, index) => index);
  if (stacking !== "none") order.reverse();  // the largest area first, the others over it
  const top = stacking === "percent" ? 1 : defaults.max;
  const range = (_, low, high) => [defaults.min ?? low, top ?? (high > 0 ? high * 1.08 : 1)];
  const labels = unit => (_, splits) => splits.map(value => format(value, unit));
  const other = series.find(one => one.right);
  new uPlot({
    width: chart.clientWidth, height: chart.clientHeight, legend: { show: false }, cursor: { show: false },
    scales: { y: { range }, right: { range: (_, low, high) => [0, high * 1.3 || 1] } },
    axes: [{ ...AXIS, ...TIME, values: clock },
      { ...AXIS, size: wide, values: labels(defaults.unit), ...(defaults.unit === "bytes" ? { incrs: BINARY } : {}) },
      ...(other ? [{ ...AXIS, side: 1, scale: "right", size: 50, grid: { show: false }, values: labels(other.unit) }] : [])],
    series: [{}, ...order.map(index => ({
      stroke: series[index].color, width: Math.max(defaults.custom.lineWidth, 0.5), points: { show: false },
      scale: series[index].right ? "right" : "y",
      fill: stacking !== "none" ? series[index].color : series[index].color + "1A", spanGaps: false,
    }))],
  }, [times, ...order.map(index => drawn[index])], chart);
}

const ORANGES = ["#2a1a10", "#7f2704", "#a63603", "#d94801", "#f16913", "#fd8d3c", "#fdae6b", "#fdd0a2", "#fee6ce"];
const shade = share => ORANGES[Math.min(ORANGES.length - 1, Math.floor(Math.sqrt(share) * ORANGES.length))];

// One series a bucket, cumulative: what is in each alone is the difference to the one below.
function heatmap(panel, series, box) {
  const buckets = series.map(one => ({ ...one, le: Number(one.name.replace("+Inf", "Infinity")) })).sort((a, b) => a.le - b.le);
  const times = buckets[0].times;
  const alone = buckets.map((one, at) => one.values.map((value, t) => Math.max(0, value - (at ? buckets[at - 1].values[t] : 0))));
  const most = Math.max(...alone.flat());
  const label = bucket => Number.isFinite(bucket.le) ? format(bucket.le, panel.options.yAxis.unit) : "+Inf";
  box.className += " whole";
  new uPlot({
    width: box.clientWidth, height: box.clientHeight, legend: { show: false }, cursor: { show: false },
    scales: { y: { range: [0, buckets.length] } },
    axes: [{ ...AXIS, ...TIME, values: clock },
      { ...AXIS, size: wide, splits: () => buckets.map((_, at) => at + 1), values: (_, splits) => splits.map(at => label(buckets[at - 1])),
        grid: { show: false } }],
    series: [{}, { show: true, stroke: "transparent", points: { show: false } }],
    hooks: { draw: [plot => alone.forEach((counts, at) => counts.forEach((count, t) => {
      if (count <= 0) return;
      const left = plot.valToPos(times[t], "x", true), right = plot.valToPos(times[t + 1] ?? times[t], "x", true);
      const low = plot.valToPos(at, "y", true), high = plot.valToPos(at + 1, "y", true);
      plot.ctx.fillStyle = shade(count / most);
      plot.ctx.fillRect(left, high + 1, Math.max(0, right - left - 1), low - high - 1);
    }))] },
  }, [times, times.map(() => 0)], box);
}

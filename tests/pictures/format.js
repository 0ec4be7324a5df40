// Numbers in the units that the panels use, as Grafana writes them.
const scaled = (value, base, names) => {
  let size = Math.abs(value), at = 0;
  while (size >= base && at < names.length - 1) { size /= base; value /= base; at++; }
  return [value, names[at]];
};
const digits = value => {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.01) return value.toPrecision(2).replace(/\.?0+$/, "");
  return value.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0).replace(/\.(\d*?)0+$/, (_, kept) => kept ? "." + kept : "");
};
const joined = ([value, name], gap = " ") => digits(value) + (name ? gap + name : "");

function format(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (unit === "percentunit") return digits(value * 100) + "%";
  if (unit === "bytes") return joined(scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]));
  if (unit === "Bps") return joined(scaled(value, 1000, ["B/s", "kB/s", "MB/s", "GB/s"]));
  if (unit === "ops") return joined(scaled(value, 1000, ["ops/s", "kops/s", "Mops/s"]));
  if (unit === "s") return joined(value && Math.abs(value) < 1
    ? scaled(value * 1e9, 1000, ["ns", "µs", "ms", "s"]) : value >= 60 ? [value / 60, "min"] : [value, "s"]);
  if (unit === "dateTimeAsIso") return new Date(value).toISOString().slice(0, 19).replace("T", " ");
  if (unit?.startsWith("suffix:")) return digits(value) + unit.slice("suffix:".length);
  return joined(scaled(value, 1000, ["", "K", "Mil", "Bil"]));
}

const COLORS = {
  green: "#73BF69", "semi-dark-green": "#56A64B", "super-light-green": "#C8F2C2", yellow: "#FADE2A", "light-yellow": "#FFEE52",
  orange: "#FF9830", "dark-orange": "#FA6400", red: "#F2495C", blue: "#5794F2", "light-blue": "#8AB8FF",
  "super-light-blue": "#C0D8FF", "dark-blue": "#1F60C4", purple: "#B877D9",
};
const PALETTE = ["#73BF69", "#F2CC0C", "#8AB8FF", "#FF780A", "#F2495C", "#5794F2", "#B877D9", "#705DA0", "#37872D", "#FADE2A",
  "#447EBC", "#C15C17", "#890F02", "#0A437C", "#6D1F62", "#584477"];
const color = name => COLORS[name] ?? name;
const byThreshold = (value, steps) => color(steps.filter(step => step.value === null || value >= step.value).pop().color);

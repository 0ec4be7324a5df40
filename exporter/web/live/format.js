// Numbers as people read them.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value) {
  if (value === undefined || value === null) return '–';
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const percent = (share) =>
  share === undefined || share === null ? '–' : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;

export const count = (value) =>
  value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en');

export function duration(seconds) {
  const parts = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const first = parts.findIndex(([, size]) => seconds >= size);
  if (first < 0) return '0 s';
  const [unit, size] = parts[first], whole = Math.floor(seconds / size);
  const next = parts[first + 1], rest = next ? Math.floor((seconds % size) / next[1]) : 0;
  return `${whole} ${unit}${rest ? ` ${rest} ${next[0]}` : ''}`;
}

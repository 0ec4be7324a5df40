// What has happened between two answers of api/v1/overview. Nothing here touches the page.

export const functionName = ({module, function: name}) => (module ? `${module}:${name}` : name);

// Both can be compared: the later one is of the same exporter, and not the same snapshot.
export const follows = (before, after) => Boolean(before) && after.number > before.number;

export const secondsBetween = (before, after) => after.taken_seconds - before.taken_seconds;

// Of a list with counters in seconds: [{name, share}], the greatest first. A share of 1 is one whole core.
// What is new in the list counts from 0, as its counter does.
export function shares(before, after, seconds, nameOf = functionName) {
  const had = new Map((before ?? []).map((one) => [nameOf(one), one.seconds]));
  return (after ?? [])
    .map((one) => ({name: nameOf(one), share: Math.max(0, one.seconds - (had.get(nameOf(one)) ?? 0)) / seconds}))
    .sort((a, b) => b.share - a.share);
}

const idle = new Set(['sleep', 'busy_wait']);
const keyOf = ({kind, number}) => `${kind} ${number}`;

// Of each scheduler: the share of the time in each state, and in those that are work.
export function schedulers(before, after) {
  const had = new Map((before ?? []).map((one) => [keyOf(one), one.seconds]));
  return (after ?? []).map((one) => {
    const earlier = had.get(keyOf(one)) ?? {};
    const states = Object.entries(one.seconds)
      .map(([state, seconds]) => [state, Math.max(0, seconds - (earlier[state] ?? 0))]);
    const all = states.reduce((sum, [, seconds]) => sum + seconds, 0);
    const parts = all > 0 ? states.map(([state, seconds]) => [state, seconds / all]).filter(([, part]) => part > 0) : [];
    const busy = parts.filter(([state]) => !idle.has(state)).reduce((sum, [, part]) => sum + part, 0);
    return {kind: one.kind, number: one.number, parts, busy, known: all > 0};
  });
}

// Of the schedulers that are online: their mean share of work; null while nothing is known. The VM numbers them
// from 1, and those that are online come first.
export function utilization(list, counts, kind = 'normal') {
  const online = counts?.find((one) => one.kind === kind)?.online ?? Infinity;
  const seen = list.filter((one) => one.kind === kind && one.number <= online && one.known);
  return seen.length ? seen.reduce((sum, one) => sum + one.busy, 0) / seen.length : null;
}

export function blame(before, after, seconds) {
  const had = new Map((before ?? []).map((one) => [one.native, one.functions]));
  return (after ?? []).map(({native, functions}) => {
    const list = shares(had.get(native), functions, seconds).filter((one) => one.share > 0);
    return {native, functions: list, share: list.reduce((sum, one) => sum + one.share, 0)};
  });
}

export const perSecond = (before, after, seconds) =>
  before === undefined || after === undefined ? null : Math.max(0, after - before) / seconds;

// The last values of a series, one for each answer; `null` where there was none.
export class History {
  constructor(most) {
    this.most = most;
    this.times = [];
    this.series = new Map();
  }

  add(time, values) {
    this.times.push(time);
    for (const name of Object.keys(values))
      if (!this.series.has(name)) this.series.set(name, new Array(this.times.length - 1).fill(null));
    for (const [name, list] of this.series) {
      list.push(values[name] ?? null);
      if (list.length > this.most) list.shift();
      if (list.every((value) => value === null)) this.series.delete(name);
    }
    if (this.times.length > this.most) this.times.shift();
  }

  of(name) {
    return this.series.get(name) ?? new Array(this.times.length).fill(null);
  }
}

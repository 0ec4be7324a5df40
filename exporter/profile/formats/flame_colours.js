// The colours of boxes: by kind and module, as the file has them, by state, or by application. A picture whose boxes
// have no kind keeps its own.
const stateColours = {
  emulator: '#6ea8ea', bif: '#eda477', nif: '#dd7fb6', gc: '#74c295', gc_full: '#4a9d6f', send: '#b394e4', ets: '#dcc05c',
  port: '#66c4c4', check_io: '#98aade', timers: '#cf9a9a', alloc: '#bd9f85', aux: '#a6b1bd', busy_wait: '#d3d8df',
};
const unknownColour = '#c7c7c7';
const kindFills = {};  // of what is no Erlang function: the file's own colour
for (const box of boxes) if (box.kind !== 'erlang' && box.level > 0) kindFills[box.kind] ??= box.fill;

const largestState = (states) => [...states].reduce((best, one) => (one[1][0] > best[1][0] ? one : best), ['', [-1]])[0];
const stateColour = (state) => (Object.hasOwn(stateColours, state) ? stateColours[state] : unknownColour);

function applicationColour(box) {
  if (box.kind !== 'erlang') return kindFills[box.kind] ?? unknownColour;
  let hash = 7;
  for (const character of box.app) hash = (hash * 31 + character.codePointAt(0)) % 1000003;
  return `hsl(${(hash * 47) % 360} ${55 + hash % 3 * 12}% 72%)`;
}

const kinds = {erlang: 'Erlang, a hue for each module', bif: 'BIF', nif: 'NIF', native: 'C', kernel: 'kernel'};

// entries(box): where the legend counts the box's own time, as [label, colour, microseconds].
const colourings = {
  kind: {
    about: 'by kind and module',
    colour: (box) => box.fill,
    entries: (box) => [[kinds[box.kind] ?? 'other', box.fill, timeOf(box.own)]],
  },
  state: {
    about: 'by the state of most of its time',
    colour: (box) => stateColour(largestState(box.states)),
    entries: (box) => [...box.own].map(([state, [time]]) => [state, stateColour(state), time]),
  },
  application: {
    about: "by the first part of the module's name",
    colour: applicationColour,
    entries: (box) => [[box.app, applicationColour(box), timeOf(box.own)]],
  },
};

// [label, colour, share of the whole] of all boxes, the largest first.
function legendOf(colouring) {
  const sums = new Map();
  for (const box of boxes)
    for (const [label, colour, time] of box.own.size > 0 ? colouring.entries(box) : []) {
      const had = sums.get(label);
      sums.set(label, [label, had?.[1] ?? colour, (had?.[2] ?? 0) + time / whole]);
    }
  return [...sums.values()].sort((a, b) => b[2] - a[2]);
}

// The boxes of the picture as the script knows them: which stands on which, what time each has of its own, in which
// state; and the same stacks merged from the top. No drawing here. A box: `from` and `size` are shares of the whole,
// `level` counts from the bottom, `states` has [microseconds, samples] of the box and of all that stand on it.
const svg = document.querySelector('svg'), boxes = [];

// "emulator:120345:12 gc:300:1"
function statesOf(text) {
  const states = new Map();
  for (const part of text ? text.split(' ') : []) {
    const [state, time, samples] = part.split(':');
    states.set(state, [+time, +samples]);
  }
  return states;
}

function addStates(sum, states) {
  for (const [state, [time, samples]] of states) {
    const had = sum.get(state) ?? [0, 0];
    sum.set(state, [had[0] + time, had[1] + samples]);
  }
}

const timeOf = (states) => [...states.values()].reduce((sum, [time]) => sum + time, 0);

{
  const below = [];  // the box of each level that the next one may stand on
  for (const element of svg.querySelectorAll('g.f')) {
    const {x, w, y, name, kind, app, own} = element.dataset;
    const parent = +y > 0 ? below[y - 1] : null;
    const box = {name, kind, app, element, parent, from: +x, size: +w, level: +y, children: [], own: statesOf(own)};
    box.states = new Map(box.own);
    box.fill = element.querySelector('rect').getAttribute('fill');
    parent?.children.push(box);
    below[y] = box;
    boxes.push(box);
  }
  for (let k = boxes.length - 1; k > 0; --k) addStates(boxes[k].parent.states, boxes[k].states);
}
const whole = timeOf(boxes[0].states);
const canInvert = boxes[0].kind !== undefined;

// Merged from the top: on the root stand the functions that ran, on each of these its callers. A path is a box with
// time of its own, and how far down from there we are.
const inverted = {...boxes[0], element: null, children: null, paths: boxes.filter((box) => box.own.size > 0).map(
  (leaf) => ({leaf, at: leaf}))};

// Made when they are first seen, since most never are.
function childrenOf(box) {
  if (box.children) return box.children;
  const callers = new Map();
  for (const {leaf, at} of box.paths) {
    const next = box.parent ? at.parent : at;
    if (!next?.parent) continue;  // the root called nobody
    if (!callers.has(next.name))
      callers.set(next.name, {name: next.name, kind: next.kind, app: next.app, fill: next.fill, element: null, parent: box,
        level: box.level + 1, children: null, states: new Map(), paths: []});
    const caller = callers.get(next.name);
    addStates(caller.states, leaf.own);
    caller.paths.push({leaf, at: next});
  }
  box.children = [...callers.values()];
  for (const child of box.children) child.size = timeOf(child.states) / whole;
  box.children.sort((a, b) => b.size - a.size);
  let from = box.from;
  for (const child of box.children) {
    child.from = from;
    from += child.size;
  }
  return box.children;
}

// "emulator 81 %, gc 19 %", the largest first.
function splitText(states) {
  const time = timeOf(states), shares = [...states].map(([state, [part]]) => [state, 100 * part / time]);
  return shares.sort((a, b) => b[1] - a[1]).filter(([, share]) => share >= 0.5).map(
    ([state, share]) => `${state} ${share.toFixed(0)} %`).join(', ');
}

// What the pointer tells; flame_svg.cpp writes the same for the boxes in the file.
function told(box) {
  const samples = [...box.states.values()].reduce((sum, [, count]) => sum + count, 0);
  return `${box.name}: ${(100 * box.size).toFixed(2)} %, ${(timeOf(box.states) / 1e6).toFixed(3)} s of CPU time, ` +
    `${samples} samples; ${splitText(box.states)}`;
}

// The life of a flame graph: hovering tells, a click zooms, keys and words above it search, invert and colour. Runs in
// the svg of flame_picture.cpp, which stands alone or in a page.
const space = 'http://www.w3.org/2000/svg', character = 6.6, least = 0.3;  // least: width that is drawn
const said = document.getElementById('said'), row = +svg.dataset.row, height = svg.viewBox.baseVal.height;
const alone = svg === document.documentElement;
const bottom = +boxes[0].element.querySelector('rect').getAttribute('y');
let width = +svg.dataset.width, drawn = boxes;

function made(name, attributes, text = '') {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

const upsideDown = svg.insertBefore(made('g', {id: 'inverted'}), said);
const controls = svg.insertBefore(made('g', {id: 'controls'}), said);
const legend = svg.insertBefore(made('g', {id: 'legend'}), said);

function elementOf(box) {
  if (box.element) return box.element;
  const y = bottom - row * box.level;
  box.element = made('g', {class: 'f', tabindex: 0});
  box.element.dataset.name = box.name;
  box.element.append(made('title', {}, told(box)), made('rect', {y, height: row - 1}), made('text', {y: y + row - 5}));
  return upsideDown.appendChild(box.element);
}

function place(box, x, size, faded) {
  const element = elementOf(box), [, rect, text] = element.children;
  element.box = box;
  element.style.display = '';
  element.style.opacity = faded ? 0.5 : 1;
  element.classList.toggle('hit', view.pattern !== null && view.pattern.test(box.name));
  rect.setAttribute('x', x);
  rect.setAttribute('width', Math.max(size - 0.5, 0.1));
  rect.setAttribute('fill', colourings[view.colours].colour(box));
  text.setAttribute('x', x + 3);
  const room = Math.floor((size - 6) / character);
  text.textContent = room < 3 ? '' : box.name.length <= room ? box.name : box.name.slice(0, room - 1) + '…';
}

function drawBoxes() {
  for (const box of drawn) if (box.element) box.element.style.display = 'none';
  drawn = [];
  const to = view.zoomed ?? rootOf(), scale = width / to.size;
  const put = (box, x, size, faded = false) => { place(box, x, size, faded); drawn.push(box); };
  for (let below = to.parent; below; below = below.parent) put(below, 0, width, true);
  const waiting = [to];
  while (waiting.length > 0) {
    const box = waiting.pop();
    put(box, (box.from - to.from) * scale, box.size * scale);
    for (const child of childrenOf(box)) if (child.size * scale >= least) waiting.push(child);
  }
}

function control(id, text, x, act) {
  const element = made('text', {id, class: 'control', role: 'button', tabindex: 0, x, y: 54}, text);
  element.addEventListener('click', act);
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
    document.getElementById(id).focus();
  });
  controls.append(element);
  return x + (text.length + 2) * character;
}

function drawControls() {
  controls.replaceChildren();
  let x = 8;
  if (canInvert) {
    x = control('colours', `colours: ${view.colours}`, x, nextColours);
    x = control('invert', `inverted: ${view.inverted ? 'yes' : 'no'}`, x, invert);
  }
  x = control('found', view.pattern ? `${(100 * found()).toFixed(2)} % matches` : 'search', x, ask);
  const keys = `click, Enter: zoom; Esc: out; Ctrl-F: search${canInvert ? '; c: colours; i: invert' : ''}`;
  if (x + keys.length * character < width) controls.append(made('text', {id: 'keys', x: x + 12, y: 54}, keys));
}

function drawLegend() {
  legend.replaceChildren();
  if (!canInvert) return;
  const colouring = colourings[view.colours];
  legend.append(made('text', {x: 8, y: 72}, `${colouring.about}:`));
  let x = 8 + (colouring.about.length + 2) * character;
  for (const [label, colour, share] of legendOf(colouring)) {
    const text = `${label} ${(100 * share).toFixed(0)} %`, end = x + 14 + (text.length + 2) * character;
    if (end > width) break;
    legend.append(made('rect', {x, y: 63, width: 10, height: 10, fill: colour}), made('text', {x: x + 14, y: 72}, text));
    x = end;
  }
}

function draw() {
  drawBoxes();
  drawControls();
  drawLegend();
  said.textContent = view.problem;
}

function show() {
  draw();
  try {
    history.replaceState(null, '', link() ? `#${link()}` : location.pathname + location.search);
  } catch { /* a page without an address of its own has no link */ }
}

function zoom(box) {
  view.zoomed = box?.parent ? box : null;
  show();
}
function search(word) {
  find(word);
  show();
}
function ask() {
  const word = prompt('Search (regular expression):', view.word);
  if (word !== null) search(word);
}
function invert() {
  Object.assign(view, {inverted: !view.inverted, zoomed: null});
  show();
}
function nextColours() {
  const names = Object.keys(colourings);
  view.colours = names[(names.indexOf(view.colours) + 1) % names.length];
  show();
}

const boxAt = (event) => event.target.closest?.('g.f')?.box;
const tell = (event) => { said.textContent = boxAt(event) ? event.target.closest('g.f').querySelector('title').textContent : ''; };
svg.addEventListener('mouseover', tell);
svg.addEventListener('focusin', tell);
svg.addEventListener('click', (event) => { if (boxAt(event)) zoom(boxAt(event)); });
document.addEventListener('keydown', (event) => {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === 'Enter' && boxAt(event)) zoom(boxAt(event));
  if (event.key === 'Escape') { find(''); zoom(null); }
  if (event.key === 'f' && event.ctrlKey) { event.preventDefault(); ask(); }
  if (event.key === 'c' && plain && canInvert) nextColours();
  if (event.key === 'i' && plain && canInvert) invert();
});

// In a page the graph has as many units as the window has pixels, so that its text keeps its size.
function fit() {
  if (!alone) {
    width = Math.max(Math.round(svg.getBoundingClientRect().width), 300);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  }
  draw();
}
addEventListener('resize', fit);
addEventListener('hashchange', () => { follow(location.hash.slice(1)); draw(); });
follow(location.hash.slice(1));
fit();

// What is seen of the picture, and its link: the fragment of the address. A link is foreign text. Its words choose among
// what is there, or are compared with names; none becomes markup or code.
const view = {colours: 'kind', inverted: false, zoomed: null, word: '', pattern: null, problem: ''};
const rootOf = () => (view.inverted ? inverted : boxes[0]);

function find(word) {
  Object.assign(view, {word, pattern: null, problem: ''});
  try {
    const pattern = word ? new RegExp(word, 'i') : null;
    pattern?.test('…');  // one that is too large fails only now
    view.pattern = pattern;
  } catch {
    Object.assign(view, {word: '', problem: 'not a regular expression'});
  }
}

// Whether a search for it ends soon: an expression with groups, or with many repetitions, may take for ever.
const isSimple = (word) => word.length <= 200 && !/[({]/.test(word) && (word.match(/[*+?]/g) ?? []).length <= 2;

function link() {
  const words = new URLSearchParams();
  if (view.colours !== 'kind') words.set('colours', view.colours);
  if (view.inverted) words.set('invert', '1');
  if (view.word) words.set('search', view.word);
  const path = [];
  for (let box = view.zoomed; box?.parent; box = box.parent) path.unshift(box.name);
  for (const name of path) words.append('zoom', name);
  return words.toString();
}

// The names of a zoom lead up from the root; where one is missing, as in a later recording, it ends.
function follow(fragment) {
  const words = new URLSearchParams(fragment), colours = words.get('colours');
  view.colours = canInvert && Object.hasOwn(colourings, colours) ? colours : 'kind';
  view.inverted = canInvert && words.get('invert') === '1';
  const word = words.get('search') ?? '';
  find(isSimple(word) ? word : '');
  if (!isSimple(word)) view.problem = 'the search of this link is too complex';
  let at = rootOf();
  for (const name of words.getAll('zoom')) {
    const next = childrenOf(at).find((box) => box.name === name);
    if (!next) break;
    at = next;
  }
  view.zoomed = at.parent ? at : null;
}

// The share of all time. A frame that stands on another hit is the same time once more.
function found() {
  const waiting = [boxes[0]];
  let sum = 0;
  while (waiting.length > 0) {
    const box = waiting.pop();
    if (view.pattern.test(box.name)) sum += box.size;
    else waiting.push(...box.children);
  }
  return sum;
}

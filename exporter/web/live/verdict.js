// What the resident memory is made of, what of it is waste, and what helps. A look costs the exporter more than a
// snapshot, so somebody must ask for it.
import {element, section, table} from './dom.js';
import {bytes, percent} from './format.js';

const longest = 60000; // milliseconds that a look may take
const leastShown = 0.01; // of the resident memory

function findingElement({text, advice, source, rule}) {
  return element('li', {}, element('p', {}, text),
    element('p', {}, element('strong', {}, 'Do: '), advice),
    element('p', {class: 'facts'}, `See: ${source} [${rule}]`));
}

function summary({findings, resident_bytes: resident, not_readable: unread}) {
  const found = findings.length === 0 ? `nothing to mend${unread.length ? ' in what could be read' : ''}`
    : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings, the largest first'}`;
  return `${new Date().toLocaleTimeString()}: ${bytes(resident)} resident, ${found}.`;
}

function partRows({composition, resident_bytes: resident}) {
  const small = {part: 'parts of less than 1 %', bytes: 0, may_be_off_bytes: 0}, large = [];
  for (const one of composition)
    if (one.bytes >= leastShown * resident) {
      large.push(one);
    } else {
      small.bytes += one.bytes;
      small.may_be_off_bytes += one.may_be_off_bytes;
    }
  return [...large, small].map((one) => [one.allocator ? `${one.part} of ${one.allocator}` : one.part, bytes(one.bytes),
    percent(resident > 0 ? one.bytes / resident : undefined), bytes(one.may_be_off_bytes)]);
}

export function verdictSection() {
  const said = element('p', {role: 'status', 'aria-live': 'polite'}, 'Nobody has looked yet.');
  const found = element('ol', {class: 'findings'}), unread = element('p', {class: 'problem', hidden: true});
  const parts = table('Parts of the resident memory', ['Part', 'Bytes', 'Share', 'May be off by']);
  let looking = false;

  function show(told) {
    found.replaceChildren(...told.findings.map(findingElement));
    unread.hidden = told.not_readable.length === 0;
    unread.textContent = unread.hidden ? '' : `Not readable: ${told.not_readable.join('; ')}.`;
    parts.fill(partRows(told));
    parts.element.hidden = false;
    said.textContent = summary(told);
  }
  async function look() {
    if (looking) return;
    looking = true;
    said.textContent = 'Looking …';
    try {
      const answer = await fetch('api/v1/memory', {cache: 'no-store', signal: AbortSignal.timeout(longest)});
      if (answer.ok) show(await answer.json());
      else said.textContent = `No look: ${(await answer.text()).trim()}.`;
    } catch {
      said.textContent = 'No look: the exporter does not answer.';
    }
    looking = false;
  }
  parts.element.hidden = true;
  return {
    element: section('verdict', 'Memory verdict',
      element('div', {class: 'choice'}, element('button', {type: 'button', onclick: look}, 'Look now')), said, unread, found,
      parts.element),
  };
}

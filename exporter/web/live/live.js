// The live page: asks api/v1/overview again and again, and shows what has happened between two answers.
import {element} from './dom.js';
import {functionSection, nativeSection} from './functions.js';
import {head} from './head.js';
import {limitSection, memorySection, processSection} from './memory.js';
import {schedulerSection} from './schedulers.js';
import {verdictSection} from './verdict.js';
import * as rates from './rates.js';

const pause = 2000; // milliseconds between two questions
const kept = 150; // answers

const sections = {
  head: head(), schedulers: schedulerSection(), functions: functionSection(), native: nativeSection(),
  memory: memorySection(), verdict: verdictSection(), processes: processSection(), limits: limitSection(),
};
let before = null, answered = Date.now(), frozen = false;
let history = new rates.History(kept);

function remember(after, shown) {
  const values = {
    normal: shown.mean('normal'), dirty_cpu: shown.mean('dirty_cpu'), nifs: after.nif_time_ratio,
    resident: after.memory?.resident_bytes, carriers: after.memory?.carrier_bytes, blocks: after.memory?.block_bytes,
  };
  for (const view of ['functions', 'inclusive_functions'])
    for (const {name, share} of shown[view].slice(0, 40)) values[`${view} ${name}`] = share;
  history.add(after.taken_seconds, values);
}

function show(after) {
  if (before && after.number === before.number) return;
  if (!rates.follows(before, after)) {  // the first answer, or one of another exporter
    before = null;
    history = new rates.History(kept);
  }
  const seconds = before ? rates.secondsBetween(before, after) : 0;
  sections.head.show(before, after, seconds);
  sections.memory.show(after);
  sections.limits.show(after);
  if (before) {
    const schedulers = rates.schedulers(before.schedulers, after.schedulers);
    const shown = {mean: (kind) => rates.utilization(schedulers, after.vitals?.schedulers, kind)};
    for (const list of ['functions', 'inclusive_functions', 'bifs', 'nifs'])
      shown[list] = rates.shares(before[list], after[list], seconds);
    shown.blame = rates.blame(before.blame, after.blame, seconds);
    remember(after, shown);
    sections.schedulers.show(schedulers, shown.mean);
    sections.schedulers.draw(history.times, ['normal', 'dirty_cpu', 'nifs'].map((name) => history.of(name)));
    sections.memory.draw(history.times, ['resident', 'carriers', 'blocks'].map((name) => history.of(name)));
    sections.functions.show(shown, history);
    sections.native.show(shown, after.nif_time_ratio);
    sections.processes.show(after, rates.shares(before.processes, after.processes, seconds, (one) => one.process));
  }
  before = after;
}

async function ask() {
  if (!frozen && !document.hidden) {
    try {
      const answer = await fetch('api/v1/overview', {cache: 'no-store', signal: AbortSignal.timeout(10000)});
      if (!answer.ok) throw new Error(`${answer.status}`);
      show(await answer.json());
      answered = Date.now();
    } catch {
      sections.head.unreachable((Date.now() - answered) / 1000);
    }
  }
  setTimeout(ask, pause);
}

const freeze = element('button', {type: 'button', 'aria-pressed': 'false', onclick: () => {
  frozen = !frozen;
  freeze.setAttribute('aria-pressed', String(frozen));
}}, 'Freeze');
document.getElementById('tools').append(freeze);
document.getElementById('live').append(...Object.values(sections).map((one) => one.element));
ask();

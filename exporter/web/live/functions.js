// Who uses CPU time: Erlang functions, native functions, processes.
import {element, section, table} from './dom.js';
import {percent} from './format.js';
import {Sparklines} from './charts.js';

const most = 15;

export function functionSection() {
  const views = {functions: 'self', inclusive_functions: 'with callees'};
  let view = 'functions';
  const lines = new Sparklines();
  const list = table('Erlang functions by CPU time; 100 % is one core', ['Function', 'CPU', 'Last minutes']);
  let last = null;
  const buttons = Object.entries(views).map(([name, text]) => element('button',
    {type: 'button', 'aria-pressed': String(name === view), onclick: () => choose(name)}, text));

  function choose(name) {
    view = name;
    Object.keys(views).forEach((one, k) => buttons[k].setAttribute('aria-pressed', String(one === view)));
    if (last) draw();
  }
  function draw() {
    const rows = last.shares[view].filter((one) => one.share > 0).slice(0, most);
    const key = (name) => `${view} ${name}`;
    list.fill(rows.map(({name, share}) =>
      [name, percent(share), lines.element(key(name), last.history.times, last.history.of(key(name))) ?? '']),
    'no function used CPU time');
    lines.keepOnly(new Set(rows.map(({name}) => key(name))));
  }
  return {
    element: section('functions', 'Erlang functions',
      element('div', {class: 'choice', role: 'group', 'aria-label': 'Time of a function'}, ...buttons), list.element,
      element('p', {}, element('a', {href: 'flamegraph?seconds=5'}, 'Flame graph of the next 5 seconds'))),
    show(shares, history) {
      last = {shares, history};
      draw();
    },
  };
}

export function nativeSection() {
  const ratio = element('p');
  const called = table('BIFs and NIFs by CPU time; 100 % is one core', ['Function', 'CPU']);
  const blamed = table('Native functions and for whom they worked', ['Native function', 'CPU', 'Most of it for'], 2);
  return {
    element: section('native', 'BIFs, NIFs and blame', ratio, called.element, blamed.element),
    show({bifs, nifs, blame}, nifRatio) {
      ratio.textContent = nifRatio === undefined ? '' : `NIFs take ${percent(nifRatio)} of the schedulers’ working time.`;
      const all = [...bifs.map((one) => ({...one, kind: 'BIF'})), ...nifs.map((one) => ({...one, kind: 'NIF'}))]
        .filter((one) => one.share > 0).sort((a, b) => b.share - a.share).slice(0, most);
      called.fill(all.map(({name, share, kind}) => [`${name} (${kind})`, percent(share)]), 'no BIF or NIF used CPU time');
      blamed.fill(blame.map(({native, share, functions}) =>
        [native, percent(share), functions.slice(0, 2).map((one) => `${one.name} (${percent(one.share / share)})`).join(', ') || '–']), 'none is configured');
    },
  };
}

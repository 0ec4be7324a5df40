// What the schedulers do: a bar of states for each, and their mean over time.
import {bar, element, section} from './dom.js';
import {percent} from './format.js';
import {chart} from './charts.js';

const kinds = {normal: 'Schedulers', dirty_cpu: 'Dirty CPU schedulers', dirty_io: 'Dirty IO schedulers'};

function row({kind, number, parts, busy, known}) {
  const told = parts.filter(([, share]) => share >= 0.005).map(([state, share]) => `${state} ${percent(share)}`).join(', ');
  const name = `${kinds[kind] ?? kind} ${number}`;
  return element('li', {}, element('span', {class: 'number'}, `${number}`),
    bar(`${name}: ${known ? `${percent(busy)} at work; ${told}` : 'not known yet'}`, parts),
    element('span', {class: 'share'}, known ? percent(busy) : '–'));
}

export function schedulerSection() {
  const history = chart('Utilization of the schedulers and the share of NIFs over the last minutes',
    [['schedulers', 'accent'], ['dirty CPU', 'second'], ['NIFs', 'third']], 'share', percent);
  const lists = new Map(Object.entries(kinds).map(([kind, title]) => {
    const list = element('ol', {class: 'schedulers', 'aria-label': title});
    const mean = element('span', {class: 'share'});
    const whole = kind === 'normal'
      ? element('div', {}, list)
      : element('details', {hidden: true}, element('summary', {}, `${title} `, mean), list);
    return [kind, {list, mean, whole}];
  }));
  const legend = element('ul', {class: 'legend', 'aria-label': 'Colours of the states'});
  const none = element('p', {class: 'none'}, 'The exporter takes no samples, so the states are not known.');

  return {
    element: section('schedulers', 'Schedulers', none, history.element, lists.get('normal').whole, legend,
      lists.get('dirty_cpu').whole, lists.get('dirty_io').whole),
    show(list, mean) {
      none.hidden = list.length > 0;
      const states = new Set();
      for (const [kind, {list: place, mean: told, whole}] of lists) {
        const ours = list.filter((one) => one.kind === kind);
        place.replaceChildren(...ours.map(row));
        told.textContent = percent(mean(kind));
        whole.hidden = ours.length === 0;
        for (const one of ours) for (const [state] of one.parts) states.add(state);
      }
      legend.replaceChildren(...[...states].sort().map((state) =>
        element('li', {}, element('span', {class: `swatch part ${state}`}), state)));
    },
    draw(times, series) {
      history.draw(times, series);
    },
  };
}

// Time series by uPlot. Where the build had no uPlot, the page has no charts.
import {element} from './dom.js';

const color = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const hasCharts = () => typeof window.uPlot === 'function';

const axis = (rest) => ({
  stroke: color('quiet'), grid: {stroke: color('line'), width: 1}, ticks: {show: false}, font: '12px system-ui', ...rest,
});
const steps = {bytes: Array.from({length: 45}, (_, k) => 2 ** k), share: [0.25, 0.5]};

// `lines`: [[label, color name], ...] of `kind` bytes or share; `format` says a value. draw(times, lists) shows them.
export function chart(label, lines, kind, format) {
  const place = element('div', {class: 'chart', role: 'img', 'aria-label': label});
  if (!hasCharts()) return {element: null, draw() {}};
  let plot = null;
  const make = (data) => new window.uPlot({
    width: Math.max(place.clientWidth, 200), height: 180, cursor: {y: false}, 
    scales: {y: {range: kind === 'share' ? [0, 1] : (_, low, high) => [0, 1.1 * high]}},
    series: [{label: 'time', value: '{HH}:{mm}:{ss}'}, ...lines.map(([name, tone]) => ({
      label: name, stroke: color(tone), width: 2, points: {show: false}, value: (_, value) => (value === null ? '–' : format(value)),
    }))],
    axes: [axis({values: '{HH}:{mm}:{ss}', space: 90}),
      axis({values: (_, splits) => splits.map(format), incrs: steps[kind], size: 64})],
  }, data, place);
  return {
    element: place,
    draw(times, lists) {
      if (place.clientWidth === 0 || times.length < 2) return;
      if (!plot) plot = make([times, ...lists]);
      else plot.setData([times, ...lists]);
      if (plot.width !== place.clientWidth) plot.setSize({width: place.clientWidth, height: 180});
    },
  };
}

// One small line for each name; a line that is no longer asked for is forgotten.
export class Sparklines {
  constructor() {
    this.drawn = new Map();
  }

  element(name, times, list) {
    if (!hasCharts()) return null;
    let one = this.drawn.get(name);
    if (!one) {
      const place = element('span', {class: 'spark', 'aria-hidden': 'true'});
      const plot = new window.uPlot({
        width: 96, height: 22, cursor: {show: false}, legend: {show: false}, select: {show: false}, padding: [1, 0, 1, 0],
        scales: {y: {range: (_, low, high) => [0, high > 0 ? high : 1]}},
        series: [{}, {stroke: color('accent'), width: 1.5, points: {show: false}}],
        axes: [{show: false}, {show: false}],
      }, [times, list], place);
      this.drawn.set(name, one = {place, plot});
    } else {
      one.plot.setData([times, list]);
    }
    return one.place;
  }

  keepOnly(names) {
    for (const [name, one] of this.drawn)
      if (!names.has(name)) {
        one.plot.destroy();
        this.drawn.delete(name);
      }
  }
}

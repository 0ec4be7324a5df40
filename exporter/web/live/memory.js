// What the memory is made of, and what in it is free but not given back.
import {bar, element, section, table} from './dom.js';
import {bytes, count, percent} from './format.js';
import {chart} from './charts.js';

export function memorySection() {
  const history = chart('Memory over the last minutes: resident, carriers, blocks',
    [['resident', 'accent'], ['carriers', 'second'], ['blocks', 'third']], 'bytes', bytes);
  const parts = element('ul', {class: 'legend'}), whole = element('div');
  const allocators = table('Allocators by the size of their carriers',
    ['Allocator', 'Carriers', 'In use', 'Free in carriers', 'Fragmentation']);
  const verdict = element('p');

  return {
    element: section('memory', 'Memory', verdict, history.element, whole, parts, allocators.element),
    show(after) {
      const {memory = {}, allocators: list = [], fragmentation = []} = after;
      const free = memory.carrier_bytes - memory.block_bytes;
      verdict.textContent = memory.carrier_bytes > 0
        ? `${bytes(memory.resident_bytes)} resident. Carriers take ${bytes(memory.carrier_bytes)}, blocks in them ` +
          `${bytes(memory.block_bytes)}: ${bytes(free)} (${percent(free / memory.carrier_bytes)}) are free inside carriers.`
        : 'The allocators have not been read yet.';
      const all = Object.entries(memory.resident_parts ?? {}).sort((a, b) => b[1] - a[1]);
      const sum = all.reduce((total, [, size]) => total + size, 0);
      const shares = all.map(([name, size], k) => [`tone${k % 8}`, size / sum]);
      whole.replaceChildren(...(sum > 0
        ? [bar(`Parts of the resident memory: ${all.map(([name, size]) => `${name} ${bytes(size)}`).join(', ')}`, shares)] : []));
      parts.replaceChildren(...all.filter(([, size]) => size / sum >= 0.005).map(([name, size], k) =>
        element('li', {}, element('span', {class: `swatch part tone${k % 8}`}), `${name} ${bytes(size)}`)));
      const broken = new Map(fragmentation.map((one) => [one.allocator, one]));
      allocators.fill([...list].filter((one) => one.carrier_bytes > 0).sort((a, b) => b.carrier_bytes - a.carrier_bytes)
        .map((one) => [one.allocator, bytes(one.carrier_bytes), percent(one.block_bytes / one.carrier_bytes),
          bytes(one.carrier_bytes - one.block_bytes), percent(broken.get(one.allocator)?.carrier_fragmentation_ratio)]));
    },
    draw(times, series) {
      history.draw(times, series);
    },
  };
}

export function processSection() {
  const queues = table('Longest message queues', ['Process', 'Messages']);
  const heaps = table('Largest heaps', ['Process', 'Heap']);
  const busy = table('Processes by CPU time; 100 % is one core', ['Process', 'CPU']);
  return {
    element: section('processes', 'Processes', busy.element, queues.element, heaps.element),
    show(after, shares) {
      busy.fill(shares.filter((one) => one.share > 0).slice(0, 10).map((one) => [one.name, percent(one.share)]));
      queues.fill((after.longest_queues ?? []).map((one) => [one.process, count(one.messages)]), 'no messages wait');
      heaps.fill((after.largest_heaps ?? []).map((one) => [one.process, bytes(one.bytes)]));
    },
  };
}

export function limitSection() {
  const limits = table('Counts and their limits', ['What', 'Now', 'Limit', 'Share']);
  return {
    element: section('limits', 'Limits', limits.element),
    show({vitals = {}, vm = {}}) {
      const all = [['processes', vitals.processes, vitals.process_limit], ['ports', vitals.ports, vitals.port_limit],
        ['atoms', vitals.atoms, vitals.atom_limit], ['ETS tables', vitals.ets_tables, vitals.ets_limit],
        ['open files', vm.open_fds, vm.max_fds]];
      limits.fill(all.filter(([, now]) => now !== undefined).map(([name, now, limit]) =>
        [name, count(now), count(limit), limit ? percent(now / limit) : '–']));
    },
  };
}

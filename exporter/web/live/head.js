// The first lines: is there a VM, which, how is it sampled, what is missing.
import {element, section} from './dom.js';
import {count, duration} from './format.js';
import {perSecond} from './rates.js';

const sources = {
  ebpf: 'eBPF: each sample is whole, taken in one instant',
  tick: 'the kernel’s tick: each sample is whole, as many as the kernel has ticks',
  perf: 'perf events: a part of each sample is read late',
};
// What each feature gives where it is on. The sources are told in a sentence of their own.
const meanings = {
  kernel_samples: 'time in system calls is sampled',
  growth: 'growth of memory is told by function (growth.enabled)',
};

export function head() {
  const state = element('strong', {class: 'state', role: 'status'}, 'asking the exporter');
  const target = element('span'), facts = element('p', {class: 'facts'});
  const problem = element('p', {class: 'problem', hidden: true});
  const features = element('ul', {class: 'features'});
  const whole = section('vm', 'Virtual machine', element('p', {}, state, ' ', target), problem, facts,
    element('details', {}, element('summary', {}, 'Features'), features));

  const say = (tone, text) => {
    state.className = `state ${tone}`;
    if (state.textContent !== text) state.textContent = text;
  };
  const complain = (text) => {
    problem.hidden = !text;
    problem.textContent = text ?? '';
  };

  return {
    element: whole,
    unreachable(since) {
      say('bad', 'no answer');
      complain(`The exporter does not answer for ${duration(since)}. The figures below are the last ones.`);
    },
    show(before, after, seconds) {
      const {vm, sampling} = after;
      say(after.up ? 'good' : 'bad', after.up ? 'up' : 'no VM');
      target.textContent = after.up ? `${vm.build}, pid ${vm.pid ?? 'unknown'}` : '';
      complain(after.up ? sampling.complaint : `${after.down_reason || 'no VM was found yet'}.`);
      const told = [];
      if (vm?.start_time_seconds) told.push(`running for ${duration(after.taken_seconds - vm.start_time_seconds)}`);
      if (vm?.threads) told.push(`${count(vm.threads)} threads`);
      if (after.restarts > 0) told.push(`${count(after.restarts)} restarts seen`);
      if (sampling.source) told.push(`samples by ${sources[sampling.source]}`);
      const rate = before ? perSecond(before.sampling.samples, sampling.samples, seconds) : null;
      if (rate !== null && sampling.source) told.push(`${count(rate)} samples per second`);
      facts.textContent = told.join(' · ');
      features.replaceChildren(...Object.entries(after.features)
        .filter(([name]) => !(name in sources))
        .map(([name, on]) => element('li', {class: on ? 'on' : 'off'},
          `${on ? 'on' : 'off'}: ${meanings[name] ?? name}`)));
    },
  };
}

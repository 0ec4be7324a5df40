import assert from 'node:assert/strict';
import {test} from 'node:test';
import {History, blame, follows, perSecond, schedulers, shares, utilization} from '../../../../exporter/web/live/rates.js';
import {bytes, count, duration, percent} from '../../../../exporter/web/live/format.js';

const f = (module, name, seconds) => ({module, function: name, seconds});

test('a share is the growth of the counter per second, the greatest first', () => {
  const before = [f('m', 'a/1', 10), f('m', 'b/1', 5)], after = [f('m', 'a/1', 10.5), f('m', 'b/1', 7), f('', 'signals', 1)];
  assert.deepEqual(shares(before, after, 2),
    [{name: 'm:b/1', share: 1}, {name: 'signals', share: 0.5}, {name: 'm:a/1', share: 0.25}]);
});

test('a counter that fell, as of another exporter, is no growth', () => {
  assert.deepEqual(shares([f('m', 'a/1', 10)], [f('m', 'a/1', 1)], 2), [{name: 'm:a/1', share: 0}]);
  assert.equal(follows({number: 5}, {number: 5}), false);
  assert.equal(follows({number: 5}, {number: 1}), false);
  assert.equal(follows(null, {number: 1}), false);
});

test('what is missing is not zero', () => {
  assert.deepEqual(shares(undefined, undefined, 2), []);
  assert.equal(perSecond(undefined, 3, 1), null);
  assert.equal(utilization([], undefined), null);
  assert.equal(percent(null), '–');
  assert.equal(bytes(undefined), '–');
});

test('sleep and busy waiting are no work', () => {
  const at = (emulator, sleep, waiting) => [{kind: 'normal', number: 1, seconds: {emulator, sleep, busy_wait: waiting}}];
  const [one] = schedulers(at(1, 1, 1), at(2, 2, 3));
  assert.equal(one.busy, 0.25);
  assert.deepEqual(one.parts, [['emulator', 0.25], ['sleep', 0.25], ['busy_wait', 0.5]]);
  assert.equal(schedulers(at(1, 1, 1), at(1, 1, 1))[0].known, false);
});

test('the mean is of those schedulers that are online', () => {
  const list = [[1, 1], [2, 0.5], [3, 0]].map(([number, busy]) => ({kind: 'normal', number, busy, known: true}));
  assert.equal(utilization(list, [{kind: 'normal', online: 2}]), 0.75);
  assert.equal(utilization(list, undefined), 0.5);
});

test('blame has the functions of each native function', () => {
  const [one] = blame([{native: 'copy_struct', functions: [f('m', 'a/1', 1)]}],
    [{native: 'copy_struct', functions: [f('m', 'a/1', 2), f('m', 'b/1', 0)]}], 2);
  assert.deepEqual(one, {native: 'copy_struct', functions: [{name: 'm:a/1', share: 0.5}], share: 0.5});
});

test('a history keeps the last values, and holes where there were none', () => {
  const history = new History(3);
  history.add(1, {a: 1});
  history.add(2, {a: 2, b: 5});
  assert.deepEqual([history.of('a'), history.of('b')], [[1, 2], [null, 5]]);
  history.add(3, {});
  history.add(4, {});
  assert.deepEqual([history.times, history.of('b'), history.of('c')], [[2, 3, 4], [5, null, null], [null, null, null]]);
  history.add(5, {});
  assert.equal(history.series.size, 0);
});

test('numbers are short', () => {
  assert.deepEqual([0, 1023, 1536, 200 * 1024 * 1024].map(bytes), ['0 B', '1023 B', '1.5 KiB', '200 MiB']);
  assert.deepEqual([0, 0.054, 0.0996, 1].map(percent), ['0.0 %', '5.4 %', '10 %', '100 %']);
  assert.deepEqual([0.2, 59, 3661, 90000].map(duration), ['0 s', '59 s', '1 h 1 min', '1 d 1 h']);
  assert.equal(count(1048576), '1,048,576');
});

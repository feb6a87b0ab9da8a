import { expect, test } from 'vitest';
import { decideSteps, hasUsedNothing } from './decide-steps.ts';

const nothing = { email: true, service: false, isActivated: false, config: false };

test.each([
  ['a proved address: the card is next', {}, 'email+ card* device connected'],
  ['an address that is not proved comes first', { email: false }, 'email* card device connected'],
  ['activated', { isActivated: true, service: true }, 'email+ card+ device* connected'],
  ['a trial that needs no card', { service: true }, 'email+ device* connected'],
  ['a config is there', { isActivated: true, service: true, config: true }, 'email+ card+ device+ connected*'],
  ['a trial and a config', { service: true, config: true }, 'email+ device+ connected*'],
  ['a config of a trial that is over', { config: true }, 'email+ card* device connected'],
])('%s', (_what, has, steps) => {
  const marks = { done: '+', lit: '*', quiet: '' };
  const shown = decideSteps({ ...nothing, ...has }).map(({ name, state }) => name + marks[state]);
  expect(shown.join(' ')).toBe(steps);
});

const unused = { connected: false, last_connected: null };
const used = { connected: false, last_connected: '2026-11-20T10:00:00Z' };

test.each([
  ['nothing at all', 0, null, [], true],
  ['a config that no device has used', 0, null, [unused], true],
  ['a device that is connected, before a byte is counted', 0, null, [{ ...unused, connected: true }], false],
  ['one that was connected once', 0, null, [unused, used], false],
  ['traffic of a config that is deleted', 5_000, null, [], false],
  ['a window that was begun anew', 0, '2026-11-20T10:00:00Z', [], false],
])('%s', (_what, totalTraffic, since, configs, isNothing) => {
  expect(hasUsedNothing({ totalTraffic, since }, configs)).toBe(isNothing);
});

import type { Service } from '@raha/contract/public/service.ts';
import { expect, test } from 'vitest';
import { backAgain } from './back-again.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 8, 0, second)).toISOString();
const on: Service = { state: 'on', cause: null, since: null, restored: null };
const restored = (stopped: number, raised: number, opened: number | null): Service => ({
  ...on,
  restored: { stopped_at: at(stopped), restored_at: at(raised), opened_at: opened === null ? null : at(opened) },
});

test.each([
  ['not known yet', undefined, { kind: 'was-on' }],
  ['it was never cut', on, { kind: 'was-on' }],
  ['still cut', { ...on, state: 'cut', cause: 'money', since: at(1) } satisfies Service, { kind: 'waiting' }],
  ['no server has confirmed', restored(1, 11, null), { kind: 'waiting' }],
  ['confirmed', restored(1, 11, 12), { kind: 'open', seconds: 2 }],
  ['a cut that an earlier payment ended', restored(1, 5, 6), { kind: 'was-on' }],
  ['a later cut', restored(15, 20, 21), { kind: 'was-on' }],
])('%s', (_what, service, expected) => {
  expect(backAgain(service, at(10))).toEqual(expected);
});

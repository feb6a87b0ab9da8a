import { describe, expect, test } from 'vitest';
import { decideService, type ServiceStop } from './service.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 8, minute));
const stop = (change: Partial<ServiceStop> = {}): ServiceStop => ({
  ...{ cause: 'money', stopped_at: at(0), restored_at: null, opened_at: null },
  ...change,
});

describe('whether the service is there', () => {
  test.each([
    ['not activated', { isServed: false, isPaidFor: true, stop: undefined }, { state: 'not_activated', since: null }],
    ['paid for', { isServed: true, isPaidFor: true, stop: undefined }, { state: 'on', since: null, restored: null }],
    ['nothing pays, nothing was cut', { isServed: true, isPaidFor: false, stop: undefined }, { state: 'empty' }],
    [
      'cut, also with a few toman left',
      { isServed: true, isPaidFor: true, stop: stop({ cause: 'plan' }) },
      { state: 'cut', cause: 'plan', since: at(0).toISOString(), restored: null },
    ],
    [
      'back, the node has not confirmed',
      { isServed: true, isPaidFor: true, stop: stop({ restored_at: at(5) }) },
      { state: 'on', since: null, restored: { restored_at: at(5).toISOString(), opened_at: null } },
    ],
    [
      'back and confirmed',
      { isServed: true, isPaidFor: true, stop: stop({ restored_at: at(5), opened_at: at(6) }) },
      { state: 'on', restored: { opened_at: at(6).toISOString() } },
    ],
  ])('%s', (_what, facts, expected) => {
    expect(decideService(facts)).toMatchObject(expected);
  });
});

import { describe, expect, test } from 'vitest';
import { decideAdvice, decideStatus, type Situation } from './rules.ts';

const now = new Date('2026-11-20T08:00:00Z');
const tomorrow = new Date('2026-11-21T08:00:00Z');
const yesterday = new Date('2026-11-19T08:00:00Z');

describe('the subscription that is shown', () => {
  const user = { isActivated: false, trialEndsAt: null, hasPlan: false, now };
  test.each([
    ['nothing yet', {}, { type: null, status: 'inactive', isTrial: false, isActive: false }],
    ['in the trial', { trialEndsAt: tomorrow }, { type: null, status: 'trial', isTrial: true, isActive: false }],
    ['after the trial', { trialEndsAt: yesterday }, { type: null, status: 'expired', isTrial: false, isActive: false }],
    ['activated', { isActivated: true }, { type: 'perpetual', status: 'active', isTrial: false, isActive: true }],
    [
      'activated inside the trial',
      { isActivated: true, trialEndsAt: tomorrow },
      { type: 'perpetual', status: 'active', isTrial: false, isActive: true },
    ],
    [
      'a plan',
      { isActivated: true, hasPlan: true },
      { type: 'limited', status: 'active', isTrial: false, isActive: true },
    ],
  ])('%s', (_what, change, shown) => {
    expect(decideStatus({ ...user, ...change })).toEqual(shown);
  });
});

describe('recommendations', () => {
  const well: Situation = {
    isActivated: true,
    isTrialEnough: false,
    isUnpaid: false,
    balanceToman: 100_000n,
    priceMilliToman: 2_400_000n,
    plan: undefined,
    configs: [{ connected: true, serverId: 'a', used: true }],
    servers: [
      { id: 'a', isOnline: true, load: 0.5, name: 'A' },
      { id: 'b', isOnline: true, load: 0.1, name: 'B' },
    ],
  };
  const kinds = (change: Partial<Situation>) => decideAdvice({ ...well, ...change }).map(({ kind }) => kind);

  test('none when all is well', () => expect(kinds({})).toEqual([]));
  test('activation comes first and alone', () =>
    expect(kinds({ isActivated: false, balanceToman: 0n, configs: [] })).toEqual(['activate']));
  test('a trial that does not require activation recommends none', () =>
    expect(kinds({ isActivated: false, isTrialEnough: true, priceMilliToman: 0n })).toEqual([]));
  test('less than a gigabyte left', () => {
    expect(kinds({ balanceToman: 2_399n })).toEqual(['top_up']);
    expect(kinds({ balanceToman: 2_400n })).toEqual([]);
  });
  test('without money nothing else is worth doing: no config to make, no device to connect', () => {
    expect(kinds({ isUnpaid: true, balanceToman: 0n, configs: [] })).toEqual(['top_up']);
    expect(kinds({ isUnpaid: true, isActivated: false, isTrialEnough: true })).toEqual(['activate']);
    expect(kinds({ isUnpaid: true, configs: [{ connected: false, serverId: 'a', used: false }] })).toEqual(['top_up']);
  });
  test('with a pace it is the hours that count, not the gigabytes', () => {
    expect(kinds({ isLowAtPace: true })).toEqual(['top_up']);
    expect(kinds({ isLowAtPace: false, balanceToman: 0n })).toEqual([]);
  });
  test('a running plan needs no top-up; one that ends soon is to be renewed', () => {
    expect(kinds({ balanceToman: 0n, plan: { isExpiring: false } })).toEqual([]);
    expect(kinds({ balanceToman: 0n, plan: { isExpiring: true } })).toEqual(['renew_plan']);
  });
  test('no config, or one that no device has used', () => {
    expect(kinds({ configs: [] })).toEqual(['create_config']);
    expect(kinds({ configs: [{ connected: false, serverId: 'a', used: false }] })).toEqual(['connect_device']);
  });
  test('instead of a busy server, one that is online and at most half as busy', () => {
    const full = (load: number, isOnline: boolean) =>
      decideAdvice({
        ...well,
        servers: [
          { id: 'a', isOnline: true, load: 0.9, name: 'A' },
          { id: 'b', isOnline, load, name: 'B' },
        ],
      });
    expect(full(0.4, true)).toEqual([{ kind: 'change_server', server: 'B' }]);
    expect(full(0.5, true)).toEqual([]);
    expect(full(0.1, false)).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { decideRefresh, decideSend, decideTry } from './rules.ts';

const now = new Date('2026-11-20T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe('another code', () => {
  test.each([
    ['the first', [], 'send', 0],
    ['within the minute', [59], 'too-soon', 1],
    ['after the minute', [60], 'send', 0],
    ['the sixth in an hour', [61, 200, 300, 400, 3599], 'too-soon', 1],
    ['when the fifth is an hour old', [61, 200, 300, 400, 3600], 'send', 0],
    ['after one by a clock that was ten years ahead', [-315_360_000], 'send', 0],
    ['after one by a server half a minute ahead', [-30], 'too-soon', 90],
    ['the eleventh in a day', [7000, 8000, 9000, 10000, 11000, 12000, 13000, 14000, 15000, 86_300], 'too-soon', 100],
  ] as const)('%s', (_what, ages, kind, wait) => {
    const decision = decideSend({ own: ages.map(ago), shared: ages.map(ago) }, now);
    expect(decision.kind).toBe(kind);
    if (decision.kind === 'too-soon') expect(decision.waitSeconds).toBe(wait);
  });
});

describe('a try', () => {
  test.each([
    [0, -1, 'compare'],
    [4, -1, 'compare'],
    [5, -1, 'burnt'],
    [0, 0, 'expired'],
    [5, 1, 'expired'],
  ] as const)('after %i attempts, %i s past its end', (attempts, past, decision) => {
    expect(decideTry({ attempts, created_at: ago(past + 600), expires_at: ago(past) }, now)).toBe(decision);
  });

  test('of a code by a clock that was ahead', () => {
    expect(decideTry({ attempts: 0, created_at: ago(-60), expires_at: ago(-660) }, now)).toBe('compare');
    expect(decideTry({ attempts: 0, created_at: ago(-61), expires_at: ago(-661) }, now)).toBe('expired');
  });
});

describe('a refresh token', () => {
  const token = {
    token_generation: 3,
    generation: 3,
    rotated_at: null,
    replacement_sealed: null,
    expires_at: ago(-100),
    ended_at: null,
  };
  test.each([
    ['the newest', {}, 'rotate'],
    ['of an ended session', { ended_at: ago(1) }, 'ended'],
    ['of an expired session', { expires_at: ago(0) }, 'ended'],
    ['of a session by a clock that was ten years ahead', { expires_at: ago(-315_360_000) }, 'ended'],
    ['the one before, at once', { generation: 4, rotated_at: ago(10), replacement_sealed: 's' }, 'repeat'],
    ['the one before, too late', { generation: 4, rotated_at: ago(10.001), replacement_sealed: 's' }, 'reuse'],
    ['two before, at once', { generation: 5, rotated_at: ago(1), replacement_sealed: 's' }, 'reuse'],
    ['the previous one, whose replacement is no longer stored', { generation: 4, rotated_at: ago(1) }, 'reuse'],
  ] as const)('%s', (_what, more, kind) => {
    expect(decideRefresh({ ...token, ...more }, now).kind).toBe(kind);
  });
});

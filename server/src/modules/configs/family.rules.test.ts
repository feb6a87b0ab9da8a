import { limits } from '@raha/contract/limits.ts';
import { expect, test } from 'vitest';
import { decideLink, type StoredLink } from './family-rules.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 25) + seconds * 1000);
const [mine, other] = [Buffer.from('mine'), Buffer.from('other')];
const link: StoredLink = { expires_at: at(100), opened_at: null, browser_hash: null, ended_at: null };
const opened = { ...link, opened_at: at(0), browser_hash: mine };
const { shownSeconds } = limits.family;

test.each<[string, StoredLink, Buffer | undefined, number, string]>([
  ['not opened', link, undefined, 0, 'new'],
  ['the last moment', link, mine, 99, 'new'],
  ['over', link, mine, 100, 'expired'],
  ['the same browser', opened, mine, shownSeconds - 1, 'open'],
  ['the same browser, after its day', opened, mine, shownSeconds, 'used'],
  ['another browser', opened, other, 1, 'used'],
  ['no cookie', opened, undefined, 1, 'used'],
  ['opened in time, and the time is over', opened, mine, 200, 'open'],
  ['ended', { ...opened, ended_at: at(1) }, mine, 2, 'ended'],
])('%s', (_what, stored, browser, seconds, state) => {
  expect(decideLink(stored, browser, at(seconds))).toBe(state);
});

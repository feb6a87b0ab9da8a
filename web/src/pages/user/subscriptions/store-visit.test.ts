import { ApiError } from '@raha/contract/client.ts';
import { expect, test } from 'vitest';
import { createVisits } from './store-visit.ts';

const answer = { redirect_url: 'https://store.example/?sig=1', redirect_id: 'v' };
const leave = { kind: 'leave', url: answer.redirect_url, id: 'v' };

function world(redirect: () => Promise<typeof answer>, url: () => Promise<typeof answer> = redirect) {
  const time = { now: 0 };
  const asked: string[] = [];
  const visit = createVisits(
    {
      redirect: (slug) => {
        asked.push(`redirect ${slug}`);
        return redirect();
      },
      url: (slug) => {
        asked.push(`url ${slug}`);
        return url();
      },
    },
    () => time.now,
  );
  return { time, asked, visit };
}
const fail = (status: number, code: string, retryAfterSeconds?: number) => () =>
  Promise.reject(new ApiError(status, code as never, 'no', { retryAfterSeconds }));

test('one press at a time; another store after three seconds, the same after ten', async () => {
  const { time, visit } = world(() => Promise.resolve(answer));
  expect(await Promise.all([visit('a'), visit('a'), visit('b')])).toEqual([
    leave,
    { kind: 'locked' },
    { kind: 'locked' },
  ]);
  time.now = 2_999;
  expect(await visit('b')).toEqual({ kind: 'locked' });
  time.now = 3_000;
  expect(await visit('a')).toEqual({ kind: 'wait', seconds: 7 });
  expect(await visit('b')).toEqual(leave);
  time.now = 10_000;
  expect(await visit('a')).toEqual(leave);
});

test.each([
  ['too many requests', fail(429, 'store_too_soon', 7), { kind: 'wait', seconds: 7 }],
  ['too many requests, nobody says how long', fail(429, 'too_many_requests'), { kind: 'wait', seconds: 20 }],
  ['an unknown store', fail(404, 'store_not_found'), { kind: 'refused', error: expect.any(ApiError) }],
])('%s', async (_what, redirect, expected) => {
  const { visit, asked } = world(redirect);
  expect(await visit('a')).toEqual(expected);
  expect(asked).toEqual(['redirect a']);
  // A press that came to nothing holds nobody back.
  expect((await visit('a')).kind).not.toBe('locked');
});

test('without an answer the bare address is asked for; without that the store cannot be reached', async () => {
  const found = world(fail(0, 'network'), () => Promise.resolve(answer));
  expect(await found.visit('a')).toEqual(leave);
  expect(found.asked).toEqual(['redirect a', 'url a']);
  const lost = world(fail(0, 'network'));
  expect(await lost.visit('a')).toEqual({ kind: 'unreachable' });
});

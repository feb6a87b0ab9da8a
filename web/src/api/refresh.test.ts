import { expect, test } from 'vitest';
import { createRefresher, type RefreshWorld } from './refresh.ts';

/** Two tabs share a cookie and a lock; each has its own refresher. */
function browser(answer: () => Promise<string | undefined>) {
  const cookie = { token: 'old' as string | undefined };
  let requests = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const world: RefreshWorld = {
    readToken: () => cookie.token,
    exclusively: (work) => {
      const turn = queue.then(work, work);
      queue = turn.catch(() => undefined);
      return turn;
    },
    requestToken: async () => {
      requests += 1;
      const token = await answer();
      cookie.token = token;
      return token;
    },
  };
  return { world, cookie, requests: () => requests };
}

test('ten calls of one tab ask the server once', async () => {
  const { world, requests } = browser(async () => 'new');
  const refresh = createRefresher(world);
  const tokens = await Promise.all(Array.from({ length: 10 }, () => refresh('old')));
  expect(tokens).toEqual(Array(10).fill('new'));
  expect(requests()).toBe(1);
});

test('a second tab uses the token that the first one fetched', async () => {
  const { world, requests } = browser(async () => 'new');
  const [first, second] = [createRefresher(world), createRefresher(world)];
  expect(await Promise.all([first('old'), second('old')])).toEqual(['new', 'new']);
  expect(requests()).toBe(1);
});

test('a call that was refused with an older token takes the one in the cookie', async () => {
  const { world, cookie, requests } = browser(async () => 'newer');
  cookie.token = 'new';
  expect(await createRefresher(world)('old')).toBe('new');
  expect(requests()).toBe(0);
});

test('a session that is over answers nothing, and a later call asks again', async () => {
  const { world, requests } = browser(async () => undefined);
  const refresh = createRefresher(world);
  expect(await refresh('old')).toBeUndefined();
  expect(await refresh('old')).toBeUndefined();
  expect(requests()).toBe(2);
});

test('an unreachable server is not the end of the session', async () => {
  const { world, cookie } = browser(async () => {
    throw new TypeError('offline');
  });
  await expect(createRefresher(world)('old')).rejects.toThrow('offline');
  expect(cookie.token).toBe('old');
});

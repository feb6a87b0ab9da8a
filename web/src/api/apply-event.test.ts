import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { applyEvent, staleAfter } from './apply-event.ts';

const id = '0192f0c1-2b3c-7d4e-8f90-123456789abc';

function cache() {
  const queries = new QueryClient();
  queries.setQueryData(['me'], { id, balance: 1 });
  queries.setQueryData(['configs'], []);
  queries.setQueryData(['connection', 'status'], {});
  queries.setQueryData(['wallet', 'transactions', 1], {});
  queries.setQueryData(['notifications'], {});
  queries.setQueryData(['config-file', id], 'keys');
  const keys = ['me', 'configs', 'connection', 'wallet', 'notifications', 'config-file'];
  const stale = () => keys.filter((key) => isStale(queries, key));
  return { queries, stale };
}

function isStale(queries: QueryClient, key: string): boolean {
  return queries.getQueryCache().findAll({ queryKey: [key] })[0]?.state.isInvalidated ?? false;
}

test.each([
  [{ type: 'hello' }, ['me', 'configs', 'connection', 'wallet', 'notifications', 'config-file']],
  [{ type: 'config', configId: id }, ['configs', 'connection', 'config-file']],
  [{ type: 'connection', configId: id, connected: true }, ['configs', 'connection']],
  [{ type: 'payment', transactionId: id, status: 'completed' }, ['me', 'wallet']],
  [{ type: 'account' }, ['me', 'configs', 'wallet']],
  [{ type: 'notification' }, ['notifications']],
] as const)('%j', (event, keys) => {
  const { queries, stale } = cache();
  applyEvent(queries, event);
  expect(stale()).toEqual(keys);
});

test('a balance is shown at once', () => {
  const { queries, stale } = cache();
  applyEvent(queries, { type: 'balance', balance: 7 });
  expect(queries.getQueryData(['me'])).toMatchObject({ balance: 7 });
  expect(stale()).toEqual(['wallet']);
});

test('an event that this page does not know changes nothing', () => {
  const { queries, stale } = cache();
  applyEvent(queries, { type: 'weather' } as never);
  expect(stale()).toEqual([]);
});

test('after a time without a stream everything is asked for again that any event could have changed', () => {
  expect([...staleAfter.hello].sort()).toEqual([...new Set(Object.values(staleAfter).flat())].sort());
});

test('an event that comes while the first answer is on its way has it asked for again: it may be the one of before', async () => {
  const queries = new QueryClient();
  const answers: ((value: string) => void)[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ['store-visit', id],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => undefined);
  applyEvent(queries, { type: 'account' });
  answers[0]?.('open');
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.('paid');
  await expect.poll(() => observer.getCurrentResult().data).toBe('paid');
  stop();
});

/** A query on a screen, and how often it was requested. */
function shown(queries: QueryClient, key: string) {
  const seen = { calls: 0 };
  const observer = new QueryObserver(queries, {
    queryKey: [key],
    queryFn: async () => {
      seen.calls += 1;
      return seen.calls;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  observer.subscribe(() => undefined);
  return seen;
}

test('the first hello of a page asks for nothing that was answered since the stream was requested', async () => {
  const queries = new QueryClient();
  const openedAt = Date.now();
  const me = shown(queries, 'me');
  await expect.poll(() => queries.isFetching()).toBe(0);
  applyEvent(queries, { type: 'hello' }, openedAt);
  expect([me.calls, queries.isFetching()]).toEqual([1, 0]);
  // After a gap in the stream.
  applyEvent(queries, { type: 'hello' }, Date.now() + 1);
  await expect.poll(() => me.calls).toBe(2);
});

test('a hidden page asks for nothing, and is stale when it is shown again', async () => {
  const queries = new QueryClient();
  const configs = shown(queries, 'configs');
  await expect.poll(() => queries.isFetching()).toBe(0);
  vi.stubGlobal('document', { hidden: true });
  applyEvent(queries, { type: 'config', configId: id });
  applyEvent(queries, { type: 'config', configId: id });
  vi.unstubAllGlobals();
  expect([configs.calls, queries.isFetching(), isStale(queries, 'configs')]).toEqual([1, 0, true]);
  await queries.refetchQueries({ stale: true });
  expect(configs.calls).toBe(2);
});

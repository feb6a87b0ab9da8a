import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
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

import type { User } from '@raha/contract/public/auth.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import type { Query, QueryClient } from '@tanstack/react-query';

type Stale<Type> = Readonly<Record<Type & string, readonly string[]>>;

const staleAfterNews: Stale<Exclude<RealtimeEvent['type'], 'hello'>> = {
  balance: ['wallet'],
  // The file as well: after new keys elsewhere the one on the screen is worth nothing.
  config: ['dashboard', 'configs', 'connection', 'config-file'],
  usage: ['dashboard', 'configs', 'wallet'],
  connection: ['dashboard', 'connection', 'configs'],
  payment: ['dashboard', 'wallet', 'me'],
  account: ['dashboard', 'me', 'configs', 'wallet', 'subscriptions', 'store-visit'],
  notification: ['notifications'],
  'session-ended': [],
};

/** Which parts of the cache an event makes stale. `hello` comes after a time without a stream: all of them may be. */
export const staleAfter: Stale<RealtimeEvent['type']> = {
  ...staleAfterNews,
  hello: [...new Set(Object.values(staleAfterNews).flat())],
};

/** Lets an event of the server refresh what the screens show: the news itself where it carries it, else the queries. */
export function applyEvent(queries: QueryClient, event: RealtimeEvent): void {
  if (event.type === 'balance') {
    queries.setQueryData<User>(['me'], (user) => user && { ...user, balance: event.balance });
  }
  // An event of a newer server that this page does not know yet changes nothing here.
  for (const key of staleAfter[event.type] ?? []) {
    const firstAnswers = queries
      .getQueryCache()
      .findAll({ queryKey: [key], fetchStatus: 'fetching', predicate: isEmpty });
    void queries.invalidateQueries({ queryKey: [key] });
    if (event.type === 'hello') continue;
    // An answer that is already on its way may be the one of before the event, and nothing would tell of it again.
    for (const query of firstAnswers) {
      const again = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
      query.promise?.then(again, () => undefined);
    }
  }
}

function isEmpty(query: Query): boolean {
  return query.state.data === undefined;
}

import type { User } from '@raha/contract/public/auth.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import type { Query, QueryClient } from '@tanstack/react-query';
import { applyUsage } from './apply-usage.ts';
import { askAgain } from './ask-again.ts';

type Stale<Type> = Readonly<Record<Type & string, readonly string[]>>;

const staleAfterNews: Stale<Exclude<RealtimeEvent['type'], 'hello'>> = {
  balance: ['wallet'],
  // The file as well: new keys made elsewhere invalidate the one on the screen.
  config: ['dashboard', 'configs', 'connection', 'config-file'],
  // Carries its figures, which are written into the cache.
  usage: [],
  connection: ['dashboard', 'connection', 'configs'],
  payment: ['dashboard', 'wallet', 'me'],
  account: ['dashboard', 'me', 'configs', 'wallet', 'subscriptions', 'store-visit'],
  notification: ['notifications'],
  'session-ended': [],
};

/** The queries that an event makes stale. `hello` follows a gap in the stream, so any of them may be. */
export const staleAfter: Stale<RealtimeEvent['type']> = {
  ...staleAfterNews,
  hello: [...new Set(Object.values(staleAfterNews).flat())],
};

/**
 * Applies an event of the server: writes the data that it carries into the cache, or else invalidates queries. What was
 * answered since the stream was requested, at `openedAt`, or is being requested, is not requested again for `hello`.
 */
export function applyEvent(queries: QueryClient, event: RealtimeEvent, openedAt = Number.POSITIVE_INFINITY): void {
  if (event.type === 'balance') {
    queries.setQueryData<User>(['me'], (user) => user && { ...user, balance: event.balance });
  }
  if (event.type === 'usage') applyUsage(queries, event);
  if (event.type === 'hello') {
    const isOlder = ({ state }: Query) => state.fetchStatus !== 'fetching' && state.dataUpdatedAt < openedAt;
    for (const key of staleAfter.hello) askAgain(queries, { queryKey: [key], predicate: isOlder });
    return;
  }
  // Events of a newer server that this page does not know are ignored.
  for (const key of staleAfter[event.type] ?? []) {
    const firstAnswers = queries
      .getQueryCache()
      .findAll({ queryKey: [key], fetchStatus: 'fetching', predicate: isEmpty });
    askAgain(queries, { queryKey: [key] });
    // A response already on its way may date from before the event, and no later event would correct it.
    for (const query of firstAnswers) {
      const again = () => askAgain(queries, { queryKey: query.queryKey, exact: true });
      query.promise?.then(again, () => undefined);
    }
  }
}

function isEmpty(query: Query): boolean {
  return query.state.data === undefined;
}

import type { User } from '@raha/contract/public/auth.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import type { QueryClient } from '@tanstack/react-query';

/** Which parts of the cache an event makes stale. `hello` comes after a time without a stream: everything may be. */
export const staleAfter: Readonly<Record<RealtimeEvent['type'], readonly string[]>> = {
  hello: ['dashboard', 'me', 'configs', 'connection', 'wallet', 'subscriptions', 'notifications'],
  balance: ['wallet'],
  config: ['dashboard', 'configs', 'connection'],
  usage: ['dashboard', 'configs', 'wallet'],
  connection: ['dashboard', 'connection', 'configs'],
  payment: ['dashboard', 'wallet', 'me'],
  account: ['dashboard', 'me', 'configs', 'wallet', 'subscriptions', 'store-visit'],
  notification: ['notifications'],
  'session-ended': [],
};

/** Lets an event of the server refresh what the screens show: the news itself where it carries it, else the queries. */
export function applyEvent(queries: QueryClient, event: RealtimeEvent): void {
  if (event.type === 'balance') {
    queries.setQueryData<User>(['me'], (user) => user && { ...user, balance: event.balance });
  }
  // An event of a newer server that this page does not know yet changes nothing here.
  for (const key of staleAfter[event.type] ?? []) void queries.invalidateQueries({ queryKey: [key] });
}

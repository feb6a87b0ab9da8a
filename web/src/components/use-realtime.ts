import { limits } from '@raha/contract/limits.ts';
import type { User } from '@raha/contract/public/auth.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { meQuery } from '../api/queries.ts';
import { listen } from '../api/realtime.ts';
import { sessionEnded } from '../api/session-fetch.ts';

/** Lets the server's events refresh what the screens show; polls the balance while there is no stream. */
export function useRealtime(): void {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);

  useEffect(() => listen({ onEvent: (event) => applyEvent(queries, event), onLive: setLive }), [queries]);

  useEffect(() => {
    if (live) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      for (const key of staleAfter.hello) void queries.invalidateQueries({ queryKey: [key] });
    }, limits.balanceRefreshMs);
    return () => clearInterval(timer);
  }, [queries, live]);
}

/** Which parts of the cache an event makes stale. `hello` comes after a time without a stream: everything may be. */
const staleAfter: Readonly<Record<RealtimeEvent['type'], readonly string[]>> = {
  hello: ['me', 'configs', 'connection', 'wallet'],
  balance: ['wallet'],
  config: ['configs', 'connection'],
  usage: ['configs', 'wallet'],
  connection: ['connection', 'configs'],
  payment: ['wallet', 'me'],
  account: ['me', 'configs', 'wallet'],
  'session-ended': [],
};

export function applyEvent(queries: QueryClient, event: RealtimeEvent): void {
  if (event.type === 'session-ended') sessionEnded();
  if (event.type === 'balance') {
    queries.setQueryData<User>(meQuery.queryKey, (user) => user && { ...user, balance: event.balance });
  }
  // An event of a newer server that this page does not know yet changes nothing here.
  for (const key of staleAfter[event.type] ?? []) void queries.invalidateQueries({ queryKey: [key] });
}

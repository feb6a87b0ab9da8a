import { screen } from '@raha/contract/screen-timings.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { applyEvent, staleAfter } from '../api/apply-event.ts';
import { listen } from '../api/realtime.ts';
import { sessionEnded } from '../api/session-fetch.ts';

/**
 * Applies the server's events to the cache; polls the balance while there is no stream. Returns whether there is one.
 */
export function useRealtime(): boolean {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);

  useEffect(
    () =>
      listen({
        onEvent: (event, openedAt) =>
          event.type === 'session-ended' ? sessionEnded() : applyEvent(queries, event, openedAt),
        onLive: setLive,
      }),
    [queries],
  );

  useEffect(() => {
    if (live) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      for (const key of staleAfter.hello) void queries.invalidateQueries({ queryKey: [key] });
    }, screen.balanceRefreshMs);
    return () => clearInterval(timer);
  }, [queries, live]);
  return live;
}

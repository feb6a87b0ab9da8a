import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { meQuery } from '../api/me.ts';
import { isOutOfReach } from '../api/or-last-known.ts';

/** Whether this device has a network at all. */
export function useOnline(): boolean {
  return useSyncExternalStore(watch, () => navigator.onLine);
}

/** Whether the server cannot be reached, so that what is shown may be long past. */
export function useLost(): boolean {
  const online = useOnline();
  return isOutOfReach(useQuery(meQuery).error) || !online;
}

function watch(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

import { useSyncExternalStore } from 'react';

/** Where the console is: its paths are few, and all below /admin. The address also holds the filters of a list. */
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

/** Path and query of the address. */
export function useAddress(): { readonly path: string; readonly query: URLSearchParams } {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(address, location.origin);
  return { path: url.pathname.replace(/\/$/, ''), query: url.searchParams };
}

export function goTo(address: string): void {
  history.pushState(null, '', address);
  for (const listener of listeners) listener();
}

/** Another query of the same screen, without a step for the way back. */
export function replaceWith(address: string): void {
  history.replaceState(null, '', address);
  for (const listener of listeners) listener();
}

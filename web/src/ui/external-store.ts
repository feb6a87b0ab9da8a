/**
 * Stands in for `use-sync-external-store/shim` in the browser: React 18 and newer, and Preact, have the hook themselves. The package is
 * CommonJS, and for its sake the bundler would keep all of Preact, used or not.
 */
export { useSyncExternalStore } from 'react';

/** The components ask for it by name, and use it with React 18 only. */
export function useSyncExternalStoreWithSelector(): never {
  throw new Error('This version of React has no need of it.');
}

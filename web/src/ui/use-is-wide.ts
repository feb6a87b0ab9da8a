import { useSyncExternalStore } from 'react';

/** Where the style sheet's `lg` begins. */
const wide = matchMedia('(min-width: 64rem)');

/** Whether the window is as wide as the style sheet's `lg`, for what is not even to be made where it has no place. */
export function useIsWide(): boolean {
  return useSyncExternalStore(watch, isWide);
}

function watch(onChange: () => void): () => void {
  wide.addEventListener('change', onChange);
  return () => wide.removeEventListener('change', onChange);
}

function isWide(): boolean {
  return wide.matches;
}

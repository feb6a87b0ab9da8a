import { useSyncExternalStore } from 'react';

/** The `lg` breakpoint of the style sheet. */
const wide = matchMedia('(min-width: 64rem)');

/** Whether the window has the width of `lg`, for elements that are not even created on narrow screens. */
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

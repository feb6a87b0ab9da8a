/** Deletes what `last-known.ts` keeps; apart from it, because every way out of a session needs no more than this. */
export function forgetLastKnown(): void {
  try {
    localStorage.removeItem('last-known');
  } catch {
    // Storage is forbidden, so nothing was kept.
  }
}

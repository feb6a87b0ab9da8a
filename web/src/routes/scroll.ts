import type { Shown } from './navigation.ts';

/** So long a screen may grow until it can be scrolled to where it was. */
const PATIENCE_MS = 3_000;
const takesOver = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/**
 * Scrolls a screen that has just been rendered. What it shows may still come, so this is repeated as it grows, until the place is
 * reached or the user moves. Returns how to end that.
 */
export function scrollAsWanted(wanted: Shown['scrollTo']): () => void {
  if (!wanted || isThere(wanted)) return () => undefined;
  const growing = new ResizeObserver(() => isThere(wanted) && end());
  const timer = setTimeout(end, PATIENCE_MS);
  function end() {
    growing.disconnect();
    clearTimeout(timer);
    for (const event of takesOver) removeEventListener(event, end);
  }
  growing.observe(document.body);
  for (const event of takesOver) addEventListener(event, end, { passive: true });
  return end;
}

function isThere(wanted: NonNullable<Shown['scrollTo']>): boolean {
  if ('top' in wanted) {
    scrollTo(0, wanted.top);
    return Math.abs(scrollY - wanted.top) < 1;
  }
  const part = document.getElementById(wanted.hash);
  part?.scrollIntoView();
  return part !== null;
}

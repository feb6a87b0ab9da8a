/**
 * Stops redirect loops of the guards (specification 1, section 4). Pure: takes the history of redirects and returns the
 * decision. The figures are those of `screen.guard`; a test compares them.
 */
export interface RedirectHistory {
  /** Redirects since the last screen that was shown; `at` in milliseconds since the epoch. */
  readonly visits: readonly { readonly path: string; readonly at: number }[];
  /** When redirects were stopped. */
  readonly blocked: readonly number[];
}

export const emptyHistory: RedirectHistory = { visits: [], blocked: [] };
export const DEBOUNCE_MS = 500;
export const ATTEMPTS = 3;
export const RESET_MS = 15_000;
export const LOCK_MS = 2_000;
/** How long a guard shows «checking» before it decides. */
export const DELAY_MS = 150;

export type RedirectDecision =
  /** The user is there already: the screen is shown. */
  | 'stay'
  | 'go'
  /** A loop, or too many loops: an error is shown. */
  | 'blocked';

/**
 * Decides on a redirect. The same target twice within two seconds without a screen in between is a loop and is stopped;
 * repetitions within half a second count once. After three stops nothing is redirected until 15 seconds have passed, and
 * after any stop nothing for two seconds.
 */
export function decideRedirect(
  history: RedirectHistory,
  from: string,
  to: string,
  now: number,
): { readonly decision: RedirectDecision; readonly history: RedirectHistory } {
  if (from === to) return { decision: 'stay', history };
  const visits = history.visits.filter(({ at }) => now - at < LOCK_MS);
  const blocked = history.blocked.filter((at) => now - at < RESET_MS);
  const last = blocked.at(-1);
  const isTripped = blocked.length >= ATTEMPTS;
  const isLocked = last !== undefined && now - last < LOCK_MS;
  const isLoop = visits.some(({ path }) => path === to);
  if (!isTripped && !isLocked && !isLoop) {
    return { decision: 'go', history: { visits: [...visits, { path: to, at: now }], blocked } };
  }
  const isRepetition = last !== undefined && now - last < DEBOUNCE_MS;
  // A tripped breaker counts nothing more, or it would never close.
  const counted = isTripped || isRepetition ? blocked : [...blocked, now];
  return { decision: 'blocked', history: { visits, blocked: counted } };
}

/** A screen was shown, so the redirects that led there were no loop. */
export function afterScreen(history: RedirectHistory): RedirectHistory {
  return { ...history, visits: [] };
}

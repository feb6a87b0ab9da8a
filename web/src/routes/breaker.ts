/**
 * Keeps redirects of the guards from chasing each other (specification 1, section 4). Pure: what happened before goes in,
 * what becomes of a redirect comes out. The figures are `screen.guard`, held equal by a test.
 */
export interface Trail {
  /** Where guards sent this tab and no screen has been shown since; when, in milliseconds since the epoch. */
  readonly visits: readonly { readonly path: string; readonly at: number }[];
  /** When a redirect was stopped. */
  readonly blocked: readonly number[];
}

export const emptyTrail: Trail = { visits: [], blocked: [] };
export const DEBOUNCE_MS = 500;
export const ATTEMPTS = 3;
export const RESET_MS = 15_000;
export const LOCK_MS = 2_000;
/** How long a guard shows that it is checking before it decides. */
export const DELAY_MS = 150;

export type RedirectDecision =
  /** The user is there already: the screen is shown. */
  | 'stay'
  | 'go'
  /** A loop, or too many of them: an error is shown instead. */
  | 'blocked';

/**
 * Decides on a redirect. The same target twice within two seconds without a screen in between is a loop and is stopped;
 * repetitions within half a second count once. After three stops nothing is redirected until 15 seconds have passed, and
 * after any stop nothing for two seconds.
 */
export function decideRedirect(
  trail: Trail,
  from: string,
  to: string,
  now: number,
): { readonly decision: RedirectDecision; readonly trail: Trail } {
  if (from === to) return { decision: 'stay', trail };
  const visits = trail.visits.filter(({ at }) => now - at < LOCK_MS);
  const blocked = trail.blocked.filter((at) => now - at < RESET_MS);
  const last = blocked.at(-1);
  const isTripped = blocked.length >= ATTEMPTS;
  const isLocked = last !== undefined && now - last < LOCK_MS;
  const isLoop = visits.some(({ path }) => path === to);
  if (!isTripped && !isLocked && !isLoop) {
    return { decision: 'go', trail: { visits: [...visits, { path: to, at: now }], blocked } };
  }
  const isRepetition = last !== undefined && now - last < DEBOUNCE_MS;
  // A tripped breaker counts nothing more, or it would never close.
  const counted = isTripped || isRepetition ? blocked : [...blocked, now];
  return { decision: 'blocked', trail: { visits, blocked: counted } };
}

/** A screen was shown: whatever led there was no loop. */
export function afterScreen(trail: Trail): Trail {
  return { ...trail, visits: [] };
}

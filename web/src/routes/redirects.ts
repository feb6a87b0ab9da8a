import { now } from '../api/clock.ts';
import { afterScreen, DELAY_MS, decideRedirect, emptyHistory } from './breaker.ts';

/** `stay`: only the part of the address after the path changes, or the user moves within a part of the panel. */
export type Cause = 'enter' | 'stay';

/** What a guard knows about the navigation. */
export interface Navigation {
  readonly href: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly cause: Cause;
}

/** Thrown by a guard: another screen is shown instead, in the same entry of the history. */
export class Redirect extends Error {
  override readonly name = 'Redirect';
  readonly href: string;

  constructor(href: string) {
    super(href);
    this.href = href;
  }
}

/** A redirect loop was stopped; the error view is shown instead. */
export class NavigationBlocked extends Error {
  override readonly name = 'NavigationBlocked';
}

let history = emptyHistory;

/** Called when the router has shown a screen. */
export function screenShown(): void {
  history = afterScreen(history);
}

/** Redirects, unless the user is there already; throws `NavigationBlocked` in a redirect loop. */
export function redirectTo(navigation: Navigation, href: string): void {
  const decided = decideRedirect(history, navigation.href, href, now());
  history = decided.history;
  if (decided.decision === 'blocked') throw new NavigationBlocked(`a redirect to ${href} was stopped`);
  if (decided.decision === 'go') throw new Redirect(href);
}

/** On entering, shows «checking» for a moment before a guard decides. */
export async function checking({ cause }: Navigation): Promise<void> {
  if (cause === 'enter') await new Promise((done) => setTimeout(done, DELAY_MS));
}

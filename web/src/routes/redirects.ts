import type { AnyRedirect } from '@tanstack/react-router';
import { now } from '../api/clock.ts';
import { afterScreen, DELAY_MS, decideRedirect, emptyHistory } from './breaker.ts';

/** What a guard knows about the navigation. */
export interface Navigation {
  readonly location: { readonly href: string };
  /** Loaded ahead, because the pointer is on a link. */
  readonly preload: boolean;
  readonly cause: 'preload' | 'enter' | 'stay';
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
export function redirectTo(navigation: Navigation, target: AnyRedirect): void {
  if (navigation.preload) throw target;
  const { to, search } = target.options as { to: string; search?: Record<string, string> | true };
  const query = typeof search === 'object' ? new URLSearchParams(search).toString() : '';
  const decided = decideRedirect(history, navigation.location.href, query ? `${to}?${query}` : to, now());
  history = decided.history;
  if (decided.decision === 'blocked') throw new NavigationBlocked(`a redirect to ${to} was stopped`);
  if (decided.decision === 'go') throw target;
}

/** On entering, shows «checking» for a moment before a guard decides. */
export async function checking({ preload, cause }: Navigation): Promise<void> {
  if (!preload && cause === 'enter') await new Promise((done) => setTimeout(done, DELAY_MS));
}

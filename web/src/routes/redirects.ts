import type { AnyRedirect } from '@tanstack/react-router';
import { now } from '../api/clock.ts';
import { afterScreen, DELAY_MS, decideRedirect, emptyTrail } from './breaker.ts';

/** What a guard knows of the navigation that it guards. */
export interface Passing {
  readonly location: { readonly href: string };
  /** Only looked ahead, because somebody points at a link. */
  readonly preload: boolean;
  readonly cause: 'preload' | 'enter' | 'stay';
}

/** A redirect was stopped: the error view says so instead of turning round for ever. */
export class NavigationBlocked extends Error {
  override readonly name = 'NavigationBlocked';
}

let trail = emptyTrail;

/** The router has shown a screen. */
export function screenShown(): void {
  trail = afterScreen(trail);
}

/** Sends on, unless the user is there already; throws `NavigationBlocked` where redirects chase each other. */
export function sendOn(passing: Passing, onward: AnyRedirect): void {
  if (passing.preload) throw onward;
  const { to, search } = onward.options as { to: string; search?: Record<string, string> | true };
  const query = typeof search === 'object' ? new URLSearchParams(search).toString() : '';
  const decided = decideRedirect(trail, passing.location.href, query ? `${to}?${query}` : to, now());
  trail = decided.trail;
  if (decided.decision === 'blocked') throw new NavigationBlocked(`a redirect to ${to} was stopped`);
  if (decided.decision === 'go') throw onward;
}

/** On the way in, «checking» stands on the screen for a moment before a guard decides. */
export async function checking({ preload, cause }: Passing): Promise<void> {
  if (!preload && cause === 'enter') await new Promise((done) => setTimeout(done, DELAY_MS));
}

import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { screen } from '@raha/contract/screen-timings.ts';

/** What became of a press on a store's button. */
export type Visit =
  | { readonly kind: 'leave'; readonly url: string; readonly id: string }
  /** Pressed again too soon: so many seconds to wait. */
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'unreachable' }
  /** Another press is being worked on. */
  | { readonly kind: 'locked' };

interface Way {
  readonly redirect_url: string;
  readonly redirect_id: string;
}

export interface StoreCalls {
  redirect(slug: string): Promise<Way>;
  /** The bare address, for when no answer came. */
  url(slug: string): Promise<Way>;
}

const { sameStoreCooldownMs, retryAfterSeconds } = limits.store;
const { lockReleaseMs } = screen.store;

/**
 * Visits to stores as specification 2 wants them: one press at a time, free again after three seconds at the latest; the
 * same store again after ten. When no answer comes the bare address is asked for.
 */
export function createVisits(calls: StoreCalls, clock: () => number) {
  const lastVisits = new Map<string, number>();
  let lockedUntil = Number.NEGATIVE_INFINITY;
  return async (slug: string): Promise<Visit> => {
    const now = clock();
    if (now < lockedUntil) return { kind: 'locked' };
    const left = (lastVisits.get(slug) ?? Number.NEGATIVE_INFINITY) + sameStoreCooldownMs - now;
    if (left > 0) return { kind: 'wait', seconds: Math.ceil(left / 1000) };
    lockedUntil = now + lockReleaseMs;
    const visit = await ask(calls, slug);
    if (visit.kind === 'leave') lastVisits.set(slug, clock());
    else lockedUntil = Number.NEGATIVE_INFINITY;
    return visit;
  };
}

async function ask(calls: StoreCalls, slug: string): Promise<Visit> {
  try {
    return leave(await calls.redirect(slug));
  } catch (error) {
    if (!(error instanceof ApiError)) return { kind: 'unreachable' };
    if (error.status === 429) return { kind: 'wait', seconds: error.retryAfterSeconds ?? retryAfterSeconds };
    if (error.code !== 'network') return { kind: 'refused', error };
  }
  try {
    return leave(await calls.url(slug));
  } catch {
    return { kind: 'unreachable' };
  }
}

function leave(way: Way): Visit {
  return { kind: 'leave', url: way.redirect_url, id: way.redirect_id };
}

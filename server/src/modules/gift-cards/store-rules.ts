import { limits } from '@raha/contract/limits.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import { waitMinutes } from '../sessions/rules.ts';

/** A visit to a store as far as the next one depends on it. */
export interface EarlierVisit {
  readonly id: string;
  readonly requestId: string | null;
  readonly createdAt: Date;
}

export type VisitDecision =
  | { readonly kind: 'new' }
  /** The same visit is answered again. */
  | { readonly kind: 'repeat'; readonly id: string }
  | { readonly kind: 'wait'; readonly seconds: number };

const { sameStoreCooldownMs, visitsPerHour } = limits.store;

/**
 * Whether a user may be sent to a store again. `earlier` are the visits of the last hour to this store, newest first.
 * A request sent again is the same visit. Another one within ten seconds waits; when the client could not be answered and
 * asks for the bare address instead (`isFallback`), it gets that of the visit it did not hear of.
 */
export function decideVisit(
  earlier: readonly EarlierVisit[],
  request: { readonly requestId?: string | undefined; readonly isFallback: boolean },
  now: Date,
): VisitDecision {
  const last = earlier[0];
  const age = last ? now.getTime() - last.createdAt.getTime() : Number.POSITIVE_INFINITY;
  const same = earlier.find((visit) => request.requestId !== undefined && visit.requestId === request.requestId);
  if (same) return { kind: 'repeat', id: same.id };
  if (last && age < sameStoreCooldownMs) {
    if (request.isFallback) return { kind: 'repeat', id: last.id };
    return { kind: 'wait', seconds: Math.ceil((sameStoreCooldownMs - age) / 1000) };
  }
  const times = earlier.map((visit) => visit.createdAt);
  const minutes = waitMinutes(times, { allowed: visitsPerHour, windowMinutes: 60 }, now);
  return minutes === undefined ? { kind: 'new' } : { kind: 'wait', seconds: minutes * 60 };
}

/** Where a store sends the browser back: below /user on our own site, with the mark of the return. Undefined for any other address. */
export function returnUrlOf(publicUrl: string, wanted: string | undefined, slug: string): string | undefined {
  const own = new URL(publicUrl);
  if (wanted !== undefined && !URL.canParse(wanted, own.href)) return undefined;
  const url = new URL(wanted ?? panelPaths.activation, own);
  if (url.origin !== own.origin || !url.pathname.startsWith('/user/') || url.username !== '') return undefined;
  url.hash = '';
  url.searchParams.set('payment_success', '1');
  url.searchParams.set('store', slug);
  return url.href;
}

import { limits } from '@raha/contract/limits.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import { waitMinutes } from '../sessions/rules.ts';

/** The part of an earlier visit on which the next one depends. */
export interface EarlierVisit {
  readonly id: string;
  readonly requestId: string | null;
  readonly createdAt: Date;
}

export type VisitDecision =
  | { readonly kind: 'new' }
  /** The same visit again. */
  | { readonly kind: 'repeat'; readonly id: string }
  | { readonly kind: 'wait'; readonly seconds: number };

const { sameStoreCooldownMs, visitsPerHour } = limits.store;

/**
 * Decides whether a user may be sent to a store again. `earlier` are the visits to this store in the last hour, newest
 * first. A repeated request gets the same visit. Another one within ten seconds must wait, unless the client missed the
 * answer and asks for the plain address instead (`isFallback`): then it gets the address of that visit.
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

/**
 * The address to which a store sends the browser back: below /user on our own site, with the return parameters added.
 * Undefined for any other address.
 */
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

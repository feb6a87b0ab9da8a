import { limits } from '@raha/contract/limits.ts';
import type { linkStates } from '@raha/contract/public/family.ts';

/** A one-time link as stored. */
export interface StoredLink {
  readonly expires_at: Date;
  readonly opened_at: Date | null;
  readonly browser_hash: Buffer | null;
  readonly ended_at: Date | null;
}

/** Until when the browser that opened a link at this time may come back. */
export function shownUntil(openedAt: Date): Date {
  return new Date(openedAt.getTime() + limits.family.shownSeconds * 1000);
}

/** What a link is to a browser. The browser that opened it sees the page again for a day; to every other one it is used. */
export function decideLink(link: StoredLink, browserHash: Buffer | undefined, now: Date): (typeof linkStates)[number] {
  if (link.ended_at) return 'ended';
  if (link.opened_at) {
    const isSame = browserHash !== undefined && link.browser_hash?.equals(browserHash) === true;
    return isSame && now < shownUntil(link.opened_at) ? 'open' : 'used';
  }
  return link.expires_at <= now ? 'expired' : 'new';
}

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Vault } from '../../platform/sealed.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { issueGiftCards } from './issue-cards.ts';

export interface BatchOrder {
  readonly actor: Actor;
  readonly count: number;
  /** US dollars per card, with at most two decimals, as the operator wrote them. */
  readonly usd: string;
  readonly note?: string | undefined;
  /** The cards' end. */
  readonly expires?: Date | undefined;
  readonly keepForExport: boolean;
}

/** An operator issues gift cards; see `issueGiftCards` for what becomes of their codes. */
export async function issueBatch(
  deps: { readonly db: Database; readonly clock: Clock; readonly vault: Vault; readonly log: Log },
  order: BatchOrder,
): Promise<{ batchId: string; codes: string[]; usdCents: number }> {
  const { actor, count, note, expires, keepForExport } = order;
  const usdCents = centsOf(order.usd);
  if (expires && expires <= deps.clock.now())
    throw new OperatorMistake('invalid', 'takes a day that is still to come.', 'expires');
  const batch = await issueGiftCards(deps, {
    count,
    usdCents,
    keepForExport,
    ...(note === undefined ? {} : { note }),
    ...(expires ? { expiresAt: expires } : {}),
  });
  logAction(deps, actor, 'gift-cards.issue', { batchId: batch.batchId, count, usdCents });
  return { ...batch, usdCents };
}

/** A card's value is kept in whole cents. */
function centsOf(usd: string): number {
  const cents = /^\d{1,5}(\.\d{1,2})?$/.test(usd) ? Math.round(Number(usd) * 100) : 0;
  if (cents < 1 || cents > 1_000_000)
    throw new OperatorMistake('invalid', 'takes whole cents, from 0.01 to 10000.', 'usd');
  return cents;
}

import type { CheckedCode } from '@raha/contract/admin/gift-cards.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { readGiftCode } from './code.ts';
import { type DeskCard, selectCard } from './desk-tables.ts';
import { giftCodeHmac } from './issue-cards.ts';

/**
 * What became of the card of a typed code, whatever its state. Nothing but a code finds a card here. That a member asked, and of
 * which card, is kept; what was typed is not. Codes are too long to be guessed, and the caller limits how often one member asks.
 */
export async function checkCode(
  deps: { readonly db: Database; readonly clock: Clock; readonly vault: Vault; readonly audit: Audit },
  { actor, typed }: { readonly actor: Actor; readonly typed: string },
): Promise<{ readonly outcome: CheckedCode['outcome']; readonly card?: DeskCard | undefined }> {
  const code = readGiftCode(typed);
  return await inTransaction(deps.db, async (tx) => {
    const by = code === undefined ? undefined : { codeHmac: giftCodeHmac(deps.vault, code) };
    const card = by && (await selectCard(tx, by, deps.clock.now()));
    const outcome = by === undefined ? 'mistyped' : card ? 'found' : 'unknown';
    const target = card && ({ kind: 'batch', id: card.batch_id } as const);
    const details = { outcome, ...(card ? { cardId: card.id, state: card.status } : {}) };
    await deps.audit.record(tx, actor, { action: 'gift-cards.check', target, details });
    return { outcome, card };
  });
}

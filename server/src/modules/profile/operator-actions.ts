import type { OperatorAction } from '@raha/contract/public/profile.ts';
import type { Executor } from '../../platform/database.ts';
import { listEntriesOfUser } from '../audit/audit.ts';

/** Shown to the user. Which operator it was, and with which words, is not. */
const kinds: Readonly<Record<string, OperatorAction['kind']>> = {
  'accounts.suspend': 'suspended',
  'accounts.reopen': 'reopened',
  'accounts.remove-factors': 'factors_removed',
  'accounts.adjust': 'balance_adjusted',
  'accounts.write-off-debt': 'debt_written_off',
  'payments.review': 'payment_reviewed',
  'refunds.settle': 'refund_settled',
  'refunds.request': 'refund_settled',
  'accounts.look': 'looked',
  'accounts.show-contact': 'contact_shown',
  'deliveries.resend': 'message_resent',
  'accounts.end-sessions': 'signed_out',
  'nodes.trace-found': 'config_traced',
};
const MOST = 50;

export async function listOperatorActions(db: Executor, userId: string, most = MOST): Promise<OperatorAction[]> {
  return (await listEntriesOfUser(db, userId, most)).flatMap(({ number, action, at }) => {
    const kind = kinds[action];
    return kind === undefined ? [] : [{ id: String(number), kind, created_at: at.toISOString() }];
  });
}

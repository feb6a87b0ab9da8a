import type { PaymentFacts, PaymentLine, StaffRefund } from '@raha/contract/admin/payments.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Executor } from '../../platform/database.ts';
import { getUsers, type User } from '../accounts/users.ts';
import { type SourceEntry, selectEntriesOfSources } from '../ledger/reports.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { readEvidence } from '../payments/evidence.ts';
import { findListedPayment, isRefundWaiting, type ListedPayment, type Refund } from '../payments/list-payments.ts';
import { listSettledItems } from '../settlements/list-settlements.ts';
import { listMembers } from '../staff/list-members.ts';
import { findOpenCredit } from '../wallet/propose-credit.ts';
import { maskEmail } from './rules.ts';

/** Payments and refunds as the console shows them, their owners masked. */
export async function describePaymentLines(db: Executor, rows: readonly ListedPayment[]): Promise<PaymentLine[]> {
  const users = await getUsers(db, [...new Set(rows.map((row) => row.user_id))]);
  return rows.map((row) => describeLine(row, users));
}

type OpenCredit = NonNullable<Awaited<ReturnType<typeof findOpenCredit>>>;

export async function describeRefunds(db: Executor, rows: readonly Refund[]): Promise<StaffRefund[]> {
  const users = await getUsers(db, [...new Set(rows.map((row) => row.user_id))]);
  return rows.map((row) => describeRefund(row, users));
}

/**
 * A payment beside what the bank answered: evidence, refunds, reversal, the lines of settlement files, and what it moved in the
 * ledger, and a proposal to credit it that waits at `now`. Undefined if there is none.
 */
export async function describePayment(db: Executor, id: string, now: Date): Promise<PaymentFacts | undefined> {
  const row = await findListedPayment(db, id);
  if (!row) return undefined;
  const proposal = row.waits ? await findOpenCredit(db, id, now) : undefined;
  const users = await getUsers(db, [row.user_id, ...(proposal ? [proposal.proposed_by] : [])]);
  const { answers, verdicts } = readEvidence(row.evidence);
  const refundIds = row.refunds.map((refund) => refund.id);
  const sources = [{ type: 'payment', id }, ...refundIds.map((refund) => ({ type: 'refund', id: refund }))];
  const settled = await listSettledItems(db, [id, ...refundIds]);
  const { walletToman, leaseToman } = await getUserAccounts(db, row.user_id);
  return {
    ...describeLine(row, users),
    ...{ gateway_reference: row.gateway_reference, bank_reference: row.ref_id, card: row.card_mask },
    ...{ checks: row.checks, next_check_at: row.next_check_at?.toISOString() ?? null },
    answers: [...answers],
    verdicts: await nameMembers(db, verdicts),
    refunds: row.refunds.map((refund) => describeRefund(refund, users)),
    reversal: row.reversal
      ? {
          amount: toWire(row.reversal.amount_toman),
          owed: toWire(row.reversal.owed_toman),
          at: row.reversal.created_at.toISOString(),
        }
      : null,
    settlements: settled.map((item) => ({
      ...{ kind: item.kind, amount: toWire(item.amount_toman), payout: item.payout },
      ...{ file: item.file, line: item.line_number, booked_at: item.booked_at.toISOString() },
    })),
    transfers: groupEntries(await selectEntriesOfSources(db, sources)),
    balance: toWire(walletToman + leaseToman),
    credit_proposal: proposal ? describeOpenCredit(proposal, users) : null,
  };
}

function describeOpenCredit(
  { reference, reason, proposed_by: by, proposed_at, expires_at }: OpenCredit,
  users: ReadonlyMap<string, User>,
): PaymentFacts['credit_proposal'] {
  if (reference === null) throw new Error('A proposed credit names its reference.');
  return {
    ...{ reference, reason, proposed_by: users.get(by)?.email ?? by },
    ...{ proposed_at: proposed_at.toISOString(), expires_at: expires_at.toISOString() },
  };
}

function describeLine(row: ListedPayment, users: ReadonlyMap<string, User>): PaymentLine {
  return {
    ...{ id: row.id, gateway: row.gateway, amount: toWire(row.amount_toman), state: row.state, waits: row.waits },
    user: ownerOf(row.user_id, users),
    refund: row.refund?.state ?? null,
    reversed: row.isReversed,
    created_at: row.created_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

function describeRefund(row: Refund, users: ReadonlyMap<string, User>): StaffRefund {
  return {
    ...{ id: row.id, payment: row.payment_id, gateway: row.gateway, amount: toWire(row.amount_toman) },
    user: ownerOf(row.user_id, users),
    ...{ state: row.state, route: row.route, waits: isRefundWaiting(row), reason: row.reason },
    ...{ tracking: row.tracking, failure: row.failure, created_at: row.created_at.toISOString() },
    sent_at: row.sent_at?.toISOString() ?? null,
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

function ownerOf(id: string, users: ReadonlyMap<string, User>): PaymentLine['user'] {
  const user = users.get(id);
  return { id, name: user?.name ?? '', email: maskEmail(user?.email ?? ''), status: user?.status ?? 'deleted' };
}

function groupEntries(entries: readonly SourceEntry[]): PaymentFacts['transfers'] {
  const transfers = new Map<string, PaymentFacts['transfers'][number]>();
  for (const { transfer_id: id, kind, purpose, at, account, amount } of entries) {
    const transfer = transfers.get(id) ?? { id, kind, purpose, at: at.toISOString(), entries: [] };
    transfer.entries.push({ account: account ?? 'wallet', amount: toWire(amount) });
    transfers.set(id, transfer);
  }
  return [...transfers.values()];
}

/** A member stands in the evidence by id; a name that was given at the command line stays as it is. */
async function nameMembers(db: Executor, verdicts: readonly { readonly by: string; readonly note: string }[]) {
  if (verdicts.length === 0) return [];
  const members = new Map((await listMembers(db)).map(({ userId, email }) => [`staff ${userId}`, email]));
  return verdicts.map(({ by, note }) => ({ by: members.get(by) ?? by, note }));
}

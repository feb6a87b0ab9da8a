import { toWire } from '@raha/contract/money.ts';
import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { findByEmail, listDeletedBefore, lockUser, type User } from '../accounts/users.ts';
import { house } from '../ledger/house.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import type { LockBalance } from '../ledger/locked-balance.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { settleCredit } from '../payments/card-money.ts';
import type { PaymentNotifications } from '../payments/notifications.ts';
import { giveUpDebts } from '../payments/pay-debts.ts';
import { type Correction, insertCorrection } from './correction-tables.ts';
import type { WalletNotifications } from './notifications.ts';
import { remainderDays } from './settings.ts';

export interface CorrectionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly notifier: Notifier<WalletNotifications> & Notifier<PaymentNotifications>;
  readonly lockBalance: LockBalance;
}

type Deps = Omit<CorrectionDeps, 'lockBalance'>;

/** Who corrects the books, and why; both are kept with the correction. */
export interface Given {
  readonly actor: Actor;
  /** The name given at the command line; a member of staff is named by the actor. */
  readonly operator?: string | undefined;
  readonly reason: string;
  /** The day of the books to which it belongs, as YYYY-MM-DD; if its month is closed, it is booked in the open one. */
  readonly day?: string | undefined;
  /** Of a member: the limit of this time, and the proposal that allows more. */
  readonly allowed?: Allowed | undefined;
  /** Of many users who get the same: the bulk, and what each of them is told. */
  readonly bulk?: { readonly id: string; readonly message: string } | undefined;
}

export interface Allowed {
  readonly limitToman: bigint;
  readonly proposal?: { readonly id: string; readonly proposedBy: string; readonly alone: boolean } | undefined;
}

/** A wallet held the wrong amount. The owner is told. Refuses an unknown account and more than the wallet holds. */
export async function adjustBalance(
  deps: CorrectionDeps,
  request: Given & { readonly email: string; readonly amountToman: bigint },
): Promise<void> {
  const { email } = request;
  const known = await findByEmail(deps.db, email);
  if (!known) throw new OperatorMistake('not-found', `No account has the address ${email}.`);
  await inTransaction(deps.db, async (tx) => {
    const user = await lockUser(tx, known.id);
    if (user.status === 'deleted') throw new OperatorMistake('not-found', `No account has the address ${email}.`);
    await adjustWallet(tx, deps, user, request);
  });
}

/** The same in the caller's transaction, for a user whom the caller has locked. Refuses more than the wallet holds. */
export async function adjustWallet(
  tx: Tx,
  deps: CorrectionDeps,
  user: User,
  request: Given & { readonly amountToman: bigint },
): Promise<void> {
  const { amountToman } = request;
  const { walletId, balanceToman, spend } = await deps.lockBalance(tx, user.id);
  if (balanceToman + amountToman < 0n) {
    if (request.actor.kind === 'staff')
      throw new Refusal('adjust_beyond_balance', { details: { balance: toWire(balanceToman) } });
    throw new OperatorMistake('conflict', `The wallet holds ${balanceToman} toman.`);
  }
  const sum = { kind: 'adjustment', userId: user.id, amountToman } as const;
  const id = await spend(-amountToman, () => correct(tx, deps, request, sum, [walletId, house.adjustment]));
  const origin = { cardToman: amountToman, boundToman: 0n };
  const credit = { userId: user.id, sourceType: 'correction', sourceId: id, amountToman, origin };
  await settleCredit(tx, deps, credit, deps.clock.now());
  const message = request.bulk && { message: request.bulk.message };
  const event = { userId: user.id, cause: id, data: { amountToman: Number(amountToman), ...message } };
  await deps.notifier.notify(tx, [{ ...event, kind: 'balance_adjusted' }]);
  await deps.jobs.send(tx, fundsAdded, { userId: user.id });
  await deps.bus.announce(tx, balanceChanged, { userId: user.id });
  await record(tx, deps, request, 'accounts.adjust', { id, ...sum });
}

/**
 * Takes what erased accounts left in their wallets out of our liabilities, once they have been erased for the days of the
 * setting `accounts.remainderDays`: by then nothing can return to them or be taken from them any more.
 */
export async function writeOffRemainders(deps: Deps, given: Given): Promise<{ accounts: number; toman: bigint }> {
  const days = await getSetting(deps.db, remainderDays);
  const erased = await listDeletedBefore(deps.db, addDays(deps.clock.now(), -days));
  const done = { accounts: 0, toman: 0n };
  for (const userId of erased) {
    const amount = await inTransaction(deps.db, async (tx) => {
      const { walletId, walletToman } = await accountsOf(tx, userId);
      if (walletToman === 0n) return 0n;
      const sum = { kind: 'remainder', userId, amountToman: -walletToman } as const;
      const id = await correct(tx, deps, given, sum, [walletId, house.writeOff]);
      await record(tx, deps, given, 'accounts.write-off-remainders', { id, ...sum });
      return walletToman;
    });
    if (amount === 0n) continue;
    done.accounts += 1;
    done.toman += amount;
  }
  return done;
}

/** Gives up what an account owes after reversals. Refuses an account that owes nothing. */
export async function writeOffDebt(deps: Deps, request: Given & { readonly userId: string }): Promise<bigint> {
  const { userId } = request;
  return await inTransaction(deps.db, async (tx) => {
    const owed = await giveUpDebts(tx, userId);
    if (owed === 0n) throw new OperatorMistake('not-found', `The account ${userId} owes nothing.`);
    await bookDebt(tx, deps, request, owed);
    return owed;
  });
}

/** Books debts that were given up in the same transaction. */
export async function bookDebt(
  tx: Tx,
  deps: Deps,
  request: Given & { readonly userId: string },
  amountToman: bigint,
): Promise<void> {
  const sum = { kind: 'debt', userId: request.userId, amountToman } as const;
  const id = await correct(tx, deps, request, sum, [house.chargeback, house.writeOff]);
  await record(tx, deps, request, 'accounts.write-off-debt', { id, ...sum });
}

/** Writes a correction and its transfer from the second account to the first. */
async function correct(
  tx: Tx,
  { clock }: Deps,
  { actor, operator = describeActor(actor), reason, day, allowed, bulk }: Given,
  sum: Pick<Correction, 'kind' | 'userId' | 'amountToman'>,
  [to, from]: readonly [string, string],
): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const about = { ...byStaff(actor, allowed), bulkId: bulk?.id ?? null };
  await insertCorrection(tx, { ...sum, id, operator, reason, ...about }, now);
  const movements = [
    { accountId: to, amountToman: sum.amountToman },
    { accountId: from, amountToman: -sum.amountToman },
  ];
  const cause = { kind: 'adjustment', sourceType: 'correction', sourceId: id, purpose: sum.kind } as const;
  await postTransfer(tx, { ...cause, movements, ...(day === undefined ? {} : { day }) }, now);
  return id;
}

async function record(
  tx: Tx,
  { audit }: Deps,
  { actor, operator, reason, allowed, bulk }: Given,
  action: string,
  { id, userId, amountToman }: Pick<Correction, 'id' | 'userId' | 'amountToman'>,
): Promise<void> {
  const proposal = allowed?.proposal;
  const second = proposal && { proposal: proposal.id, proposedBy: proposal.proposedBy, alone: proposal.alone };
  const many = bulk && { bulk: bulk.id };
  const details = { correction: id, amountToman: Number(amountToman), ...second, ...many };
  await audit.record(tx, actor, { action, target: { kind: 'user', id: userId }, operator, reason, details });
}

function byStaff(actor: Actor, allowed: Allowed | undefined) {
  if (actor.kind !== 'staff' || !allowed) return { staffId: null, limitToman: null, proposalId: null };
  return { staffId: actor.userId, limitToman: allowed.limitToman, proposalId: allowed.proposal?.id ?? null };
}

async function accountsOf(tx: Tx, userId: string) {
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  return accounts;
}

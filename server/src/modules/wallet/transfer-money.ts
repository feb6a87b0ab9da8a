import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Bus } from '../../platform/bus.ts';
import { addDays, addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { findByEmail, lockUser, type User } from '../accounts/users.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import type { LockBalance } from '../ledger/locked-balance.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { readOrigin, settleCredit } from '../payments/card-money.ts';
import type { PaymentNotifications } from '../payments/notifications.ts';
import { brandName } from '../site/settings.ts';
import { transferSentMail } from './mails.ts';
import type { WalletNotifications } from './notifications.ts';
import { transferProofFrom } from './settings.ts';
import {
  countUnknownRecipients,
  deleteUnknownRecipients,
  hasTransferredTo,
  insertUnknownRecipient,
  insertWalletTransfer,
  selectPartiesBetween,
  sumTransfersSince,
} from './transfer-tables.ts';

export interface TransferDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly notifier: Notifier<WalletNotifications> & Notifier<PaymentNotifications>;
  readonly lockBalance: LockBalance;
}

export interface TransferRequest {
  readonly fromUserId: string;
  readonly toEmail: string;
  readonly amountToman: number;
  readonly note?: string | undefined;
  readonly idempotent?: IdempotentRequest | undefined;
  /** Checks the proof that came with the request, or refuses; absent when the request came without one. */
  readonly confirmOwner?: (() => Promise<void>) | undefined;
}

/** Transfers to unknown addresses that a user may try per hour. */
const UNKNOWN_PER_HOUR = 10;

/**
 * Moves money from one user's balance to another's, in one transaction, and notifies both. The sender confirms a
 * transfer to a new recipient, and every one from `wallet.transferProofFrom` toman in 24 hours on, so that a stolen
 * session does not empty a wallet. Refuses `confirmation_needed`, what `confirmOwner` refuses, `transfer_to_self`, `insufficient_balance`, `transfer_activation_money`, `transfer_limit_reached` (sum and number of 24 hours),
 * `transfer_recipient_unknown`, `unauthenticated` when the sender's account was closed meanwhile, `account_suspended` when
 * it was suspended, and `too_many_requests` after too many unknown addresses. Returns the transfer's id.
 */
export async function transferMoney(deps: TransferDeps, request: TransferRequest): Promise<{ transferId: string }> {
  return await runIdempotently(deps.db, request.idempotent, async () => {
    const recipient = await getRecipient(deps, request);
    await request.confirmOwner?.();
    return await send(deps, request, recipient);
  });
}

/** For staff: who sent and who received the transfers whose ids lie between two. */
export const listTransferPartiesBetween = selectPartiesBetween;

export async function forgetUnknownRecipients(db: Executor, now: Date): Promise<void> {
  await deleteUnknownRecipients(db, addDays(now, -limits.keptDays.attempts));
}

async function getRecipient(deps: TransferDeps, request: TransferRequest): Promise<User> {
  const now = deps.clock.now();
  // Check the balance first, so that a user without money cannot find out which addresses have accounts.
  const { walletToman, leaseToman } = await getUserAccounts(deps.db, request.fromUserId);
  if (walletToman + leaseToman < BigInt(request.amountToman)) throw new Refusal('insufficient_balance');
  if ((await countUnknownRecipients(deps.db, request.fromUserId, addSeconds(now, -3600))) >= UNKNOWN_PER_HOUR)
    throw new Refusal('too_many_requests', { retryAfterSeconds: 3600, details: { seconds: 3600 } });
  const recipient = await findByEmail(deps.db, request.toEmail);
  if (recipient?.id === request.fromUserId) throw new Refusal('transfer_to_self', { fields: { to: 'invalid' } });
  if (canReceive(recipient)) return recipient;
  await insertUnknownRecipient(deps.db, request.fromUserId, now);
  throw unknownRecipient();
}

async function send(deps: TransferDeps, request: TransferRequest, recipient: User): Promise<{ transferId: string }> {
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const earlier = await claimKey<{ transferId: string }>(tx, request.idempotent, now);
    if (earlier) return earlier;
    const sender = await lockBoth(tx, request.fromUserId, recipient.id);
    await requireWithinLimits(tx, request, recipient.id, now);
    const balance = await deps.lockBalance(tx, request.fromUserId);
    await refuseBound(tx, request, balance.balanceToman);
    const transferId = await balance.spend(BigInt(request.amountToman), () => move(tx, request, recipient.id, now));
    const amountToman = BigInt(request.amountToman);
    const received = { userId: recipient.id, sourceType: 'wallet_transfer', sourceId: transferId };
    await settleCredit(tx, deps, { ...received, amountToman, origin: { cardToman: amountToman, boundToman: 0n } }, now);
    for (const userId of [request.fromUserId, recipient.id]) await deps.bus.announce(tx, balanceChanged, { userId });
    await deps.jobs.send(tx, fundsAdded, { userId: recipient.id });
    await tellBoth(tx, deps, { request, transferId, sender, recipient }, now);
    await storeAnswer(tx, request.idempotent, { transferId });
    return { transferId };
  });
}

/**
 * Locks both users in one order, so that two users can pay each other at the same time; the sender's lock also guards the
 * day's limits. Checks both accounts again: one may have been closed or suspended meanwhile, and money sent to a deleted
 * account is lost. Returns the sender.
 */
async function lockBoth(tx: Tx, fromUserId: string, toUserId: string): Promise<User> {
  const users = new Map<string, User>();
  for (const id of [fromUserId, toUserId].sort()) {
    const user = await lockUser(tx, id);
    users.set(id, user);
    if (id === toUserId && !canReceive(user)) throw unknownRecipient();
    if (id === fromUserId) refuseClosed(user);
  }
  return users.get(fromUserId) as User;
}

function canReceive(user: User | undefined): user is User {
  return user?.status === 'active' && user.email_verified_at !== null;
}

function refuseClosed({ status }: User): void {
  if (status === 'suspended') throw new Refusal('account_suspended');
  if (status === 'deactivated' || status === 'deleted') throw new Refusal('unauthenticated');
}

function unknownRecipient(): Refusal {
  return new Refusal('transfer_recipient_unknown', { fields: { to: 'invalid' } });
}

/** The sender is locked, so that concurrent transfers count each other. */
async function requireWithinLimits(tx: Tx, request: TransferRequest, toUserId: string, now: Date): Promise<void> {
  const sent = await sumTransfersSince(tx, request.fromUserId, addDays(now, -1));
  const { perDayToman, perDay } = limits.transfer;
  const left = sent.count >= perDay ? 0 : Math.max(0, perDayToman - Number(sent.amountToman));
  if (request.amountToman > left) throw new Refusal('transfer_limit_reached', { details: { max: perDayToman, left } });
  if (request.confirmOwner) return;
  const isLarge = Number(sent.amountToman) + request.amountToman >= (await getSetting(tx, transferProofFrom));
  if (isLarge || !(await hasTransferredTo(tx, request.fromUserId, toUserId))) throw new Refusal('confirmation_needed');
}

/** The value of the card that activated the account stays with it. */
async function refuseBound(tx: Tx, request: TransferRequest, balanceToman: bigint): Promise<void> {
  const amountToman = BigInt(request.amountToman);
  const { boundToman } = await readOrigin(tx, request.fromUserId, balanceToman);
  if (amountToman > balanceToman || amountToman <= balanceToman - boundToman) return;
  throw new Refusal('transfer_activation_money', { details: { max: toWire(balanceToman - boundToman) } });
}

async function tellBoth(
  tx: Tx,
  deps: TransferDeps,
  sent: { request: TransferRequest; transferId: string; sender: User; recipient: User },
  now: Date,
): Promise<void> {
  const { amountToman } = sent.request;
  const event = { cause: sent.transferId, data: { amountToman } };
  await deps.notifier.notify(tx, [
    { ...event, userId: sent.recipient.id, kind: 'transfer_received' },
    { ...event, userId: sent.sender.id, kind: 'transfer_sent' },
  ]);
  const mail = transferSentMail(await getSetting(tx, brandName), { amountToman, toEmail: sent.recipient.email }, now);
  await deps.jobs.send(tx, sendEmail, {
    to: sent.sender.email,
    ...mail,
    about: { kind: 'transfer_sent', userId: sent.sender.id },
  });
}

async function move(tx: Tx, request: TransferRequest, toUserId: string, now: Date): Promise<string> {
  const id = newId(now);
  const { fromUserId, amountToman, note = '' } = request;
  const from = await getUserAccounts(tx, fromUserId);
  const to = await getUserAccounts(tx, toUserId);
  await insertWalletTransfer(tx, { id, fromUserId, toUserId, amountToman, note }, now);
  await postTransfer(
    tx,
    {
      kind: 'transfer',
      sourceType: 'wallet_transfer',
      sourceId: id,
      purpose: 'move',
      movements: [
        { accountId: from.walletId, amountToman: -BigInt(amountToman) },
        { accountId: to.walletId, amountToman: BigInt(amountToman) },
      ],
    },
    now,
  );
  return id;
}

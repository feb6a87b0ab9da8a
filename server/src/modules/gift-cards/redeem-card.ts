import type { Bus } from '../../platform/bus.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import {
  claimKey,
  type IdempotentRequest,
  releaseKey,
  runIdempotently,
  storeAnswer,
} from '../../platform/idempotency.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { activationTransferable } from '../accounts/settings.ts';
import { accountChanged } from '../accounts/signals.ts';
import { activateUser, lockUser } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { house } from '../ledger/house.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { settleCredit } from '../payments/card-money.ts';
import type { PaymentNotifications } from '../payments/notifications.ts';
import { requireActive } from '../sessions/caller.ts';
import { waitMinutes } from '../sessions/rules.ts';
import { readGiftCode } from './code.ts';
import { giftCodeHmac } from './issue-cards.ts';
import type { GiftCardNotifications } from './notifications.ts';
import { guesses, isRateCurrent, worthToman } from './rules.ts';
import { insertFailure, isOwnRedeemed, redeemCard, selectActiveCard, selectFailures } from './tables.ts';

export interface RedeemDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly exchangeRate: ExchangeRateSource;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly notifier: Notifier<GiftCardNotifications> & Notifier<PaymentNotifications>;
}

interface RedeemRequest {
  readonly userId: string;
  readonly code: string;
  readonly seenRateToman?: number | undefined;
  readonly idempotent?: IdempotentRequest | undefined;
}

export interface Redemption {
  readonly usdCents: number;
  readonly amountToman: number;
  readonly rateToman: number;
  readonly activated: boolean;
}

/**
 * Redeems a card: takes it, credits its value at the current exchange rate, and activates the account if it is the
 * user's first card; all in one transaction. Refuses `gift_card_invalid` for unknown, mistyped, used, void and expired
 * codes alike, after the same statements; `rate_unavailable`; `rate_changed` if the rate is more than 2 % from what the
 * user saw; and `gift_card_throttled`. A refusal redeems nothing.
 */
export async function redeemGiftCard(deps: RedeemDeps, request: RedeemRequest): Promise<Redemption> {
  return await runIdempotently(deps.db, request.idempotent, async () => await redeem(deps, request));
}

async function redeem(deps: RedeemDeps, request: RedeemRequest): Promise<Redemption> {
  const now = deps.clock.now();
  const rateToman = await currentRate(deps, request.seenRateToman);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const earlier = await claimKey<Redemption>(tx, request.idempotent, now);
    if (earlier) return earlier;
    requireActive(await lockUser(tx, request.userId));
    const redemption = await redeemInTransaction(tx, deps, { ...request, rateToman }, now);
    // A wrong code counts as a failed attempt, but the idempotency key is released.
    if (redemption) await storeAnswer(tx, request.idempotent, redemption);
    else if (request.idempotent) await releaseKey(tx, request.idempotent);
    return redemption;
  });
  if (!outcome) throw new Refusal('gift_card_invalid');
  return outcome;
}

/**
 * Redeems a card inside the caller's transaction, which has locked the user. Undefined if the code cannot be redeemed:
 * the failed attempt is counted, so the transaction must still commit.
 */
export async function redeemInTransaction(
  tx: Tx,
  deps: Pick<RedeemDeps, 'vault' | 'jobs' | 'bus' | 'notifier'>,
  request: { userId: string; code: string; rateToman: number },
  now: Date,
): Promise<Redemption | undefined> {
  const { userId, rateToman } = request;
  await refuseWhenThrottled(tx, userId, now);
  const hmac = giftCodeHmac(deps.vault, readGiftCode(request.code) ?? request.code);
  const card = await redeemCard(tx, hmac, { userId, rateToman, now });
  if (!card) {
    await countFailure(tx, userId, hmac, now);
    return undefined;
  }
  const amount = worthToman(card.face_usd_cents, rateToman);
  await creditCard(tx, userId, { id: card.id, soldToman: card.sold_toman, amountToman: amount }, now);
  const activated = await activateUser(tx, userId, now);
  // The value of the card that activates an account is for its own service.
  const isBound = activated && !(await getSetting(tx, activationTransferable));
  const origin = { cardToman: amount, boundToman: isBound ? amount : 0n };
  const credit = { userId, sourceType: 'gift_card', sourceId: card.id, amountToman: amount, origin };
  await settleCredit(tx, deps, credit, now);
  const event = { userId, cause: card.id, data: { amountToman: Number(amount) } };
  await deps.notifier.notify(tx, [{ ...event, kind: activated ? 'account_activated' : 'card_redeemed' }]);
  await deps.jobs.send(tx, fundsAdded, { userId });
  await deps.bus.announce(tx, balanceChanged, { userId });
  await deps.bus.announce(tx, accountChanged, { userId });
  return { usdCents: card.face_usd_cents, amountToman: Number(amount), rateToman, activated };
}

/** The value of a card now, without redeeming it. Refuses and throttles as redeeming does. */
export async function previewGiftCard(
  deps: RedeemDeps,
  request: { userId: string; code: string },
): Promise<{ usdCents: number; amountToman: number; rateToman: number; last4: string }> {
  const now = deps.clock.now();
  const rateToman = await currentRate(deps, undefined);
  const card = await inTransaction(deps.db, async (tx) => {
    // The lock serialises a user's attempts, so that none escapes the count.
    await lockUser(tx, request.userId);
    await refuseWhenThrottled(tx, request.userId, now);
    const hmac = giftCodeHmac(deps.vault, readGiftCode(request.code) ?? request.code);
    const found = await selectActiveCard(tx, hmac, now);
    if (!found) await countFailure(tx, request.userId, hmac, now);
    return found;
  });
  if (!card) throw new Refusal('gift_card_invalid');
  return {
    usdCents: card.face_usd_cents,
    amountToman: Number(worthToman(card.face_usd_cents, rateToman)),
    rateToman,
    last4: card.last4,
  };
}

/** The current exchange rate for gift cards. Refuses as `redeemGiftCard` does. */
export async function currentRate(
  deps: Pick<RedeemDeps, 'db' | 'exchangeRate'>,
  seenToman: number | undefined,
): Promise<number> {
  const rate = await deps.exchangeRate.current(deps.db);
  if (!rate) throw new Refusal('rate_unavailable');
  if (!isRateCurrent(seenToman, rate.tomanPerUsd)) {
    throw new Refusal('rate_changed', { details: { rate: rate.tomanPerUsd } });
  }
  return rate.tomanPerUsd;
}

async function refuseWhenThrottled(tx: Tx, userId: string, now: Date): Promise<void> {
  const failures = await selectFailures(tx, userId, addSeconds(now, -3600));
  const minutes = waitMinutes(failures, guesses, now);
  if (minutes === undefined) return;
  throw new Refusal('gift_card_throttled', { details: { minutes }, retryAfterSeconds: minutes * 60 });
}

/** A sold card leaves our liability at what it was sold for; a card that was not sold is an expense. */
async function creditCard(
  tx: Tx,
  userId: string,
  card: { readonly id: string; readonly soldToman: bigint | null; readonly amountToman: bigint },
  now: Date,
): Promise<void> {
  const { walletId } = await getUserAccounts(tx, userId);
  const { soldToman, amountToman } = card;
  const source =
    soldToman === null
      ? [{ accountId: house.giftIssued, amountToman: -amountToman }]
      : [
          { accountId: house.cardLiability, amountToman: -soldToman },
          { accountId: house.cardRateDifference, amountToman: soldToman - amountToman },
        ];
  const movements = [...source, { accountId: walletId, amountToman }];
  const cause = { kind: 'gift_card', sourceType: 'gift_card', sourceId: card.id, purpose: 'redeem' } as const;
  await postTransfer(tx, { ...cause, movements }, now);
}

/** Counts a failed attempt. A code that this user redeemed before is not a guess and does not count. */
async function countFailure(tx: Tx, userId: string, hmac: Buffer, now: Date): Promise<void> {
  if (!(await isOwnRedeemed(tx, hmac, userId))) await insertFailure(tx, userId, now);
}

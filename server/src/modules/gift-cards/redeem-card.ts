import type { Bus } from '../../platform/bus.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type Repeatable, releaseKey, storeAnswer } from '../../platform/idempotency.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { activatePerson, lockPerson } from '../accounts/people.ts';
import type { RateSource } from '../currency/rate.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { requireActive } from '../sessions/caller.ts';
import { readGiftCode } from './code.ts';
import { giftCodeHmac } from './issue-cards.ts';
import { isRateCurrent, throttleMinutes, worthToman } from './rules.ts';
import { insertFailure, redeemCard, selectActiveCard, selectFailures } from './tables.ts';

export interface RedeemDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly rate: RateSource;
  readonly jobs: Jobs;
  readonly bus: Bus;
}

export interface Redemption {
  readonly usdCents: number;
  readonly amountToman: number;
  readonly rateToman: number;
  readonly activated: boolean;
}

/**
 * Redeems a card: takes it, credits its value at the current rate, and activates the account if it is the first; all in
 * one transaction. Refuses `gift_card_invalid` alike for unknown, mistyped, used and expired codes, `rate_unavailable`,
 * `rate_changed` (more than 2 % from the rate the person saw) and `gift_card_throttled`; nothing is redeemed then.
 */
export async function redeemGiftCard(
  deps: RedeemDeps,
  request: { userId: string; code: string; seenRateToman?: number | undefined; repeatable?: Repeatable | undefined },
): Promise<Redemption> {
  const now = deps.clock.now();
  const rateToman = await currentRate(deps, request.seenRateToman);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const earlier = await claimKey<Redemption>(tx, request.repeatable, now);
    if (earlier) return earlier;
    requireActive(await lockPerson(tx, request.userId));
    await refuseWhenThrottled(tx, request.userId, now);
    const code = readGiftCode(request.code);
    const hmac = giftCodeHmac(deps.vault, code ?? request.code);
    const card = await redeemCard(tx, hmac, { userId: request.userId, rateToman, now });
    if (!card) return undefined;
    const amount = worthToman(card.face_usd_cents, rateToman);
    await creditCard(tx, request.userId, card.id, amount, now);
    const activated = await activatePerson(tx, request.userId, now);
    const redemption = { usdCents: card.face_usd_cents, amountToman: Number(amount), rateToman, activated };
    await storeAnswer(tx, request.repeatable, redemption);
    await deps.jobs.send(tx, 'service.restore', { userId: request.userId });
    await deps.bus.announce(tx, { topic: 'user', userId: request.userId, event: { type: 'balance' } });
    await deps.bus.announce(tx, { topic: 'user', userId: request.userId, event: { type: 'account' } });
    return redemption;
  });
  if (outcome) return outcome;
  await refuseInvalid(deps, request.userId, request.repeatable);
  throw new Refusal('gift_card_invalid');
}

/** What a card is worth now, without redeeming it. The same refusals and the same throttle as redeeming. */
export async function previewGiftCard(
  deps: RedeemDeps,
  request: { userId: string; code: string },
): Promise<{ usdCents: number; amountToman: number; rateToman: number; last4: string }> {
  const now = deps.clock.now();
  await refuseWhenThrottled(deps.db, request.userId, now);
  const hmac = giftCodeHmac(deps.vault, readGiftCode(request.code) ?? request.code);
  const card = await selectActiveCard(deps.db, hmac, now);
  if (!card) {
    await insertFailure(deps.db, request.userId, now);
    throw new Refusal('gift_card_invalid');
  }
  const rateToman = await currentRate(deps, undefined);
  return {
    usdCents: card.face_usd_cents,
    amountToman: Number(worthToman(card.face_usd_cents, rateToman)),
    rateToman,
    last4: card.last4,
  };
}

async function currentRate(deps: RedeemDeps, seenToman: number | undefined): Promise<number> {
  const rate = await deps.rate.current();
  if (!rate) throw new Refusal('rate_unavailable');
  if (!isRateCurrent(seenToman, rate.tomanPerUsd)) {
    throw new Refusal('rate_changed', { details: { rate: rate.tomanPerUsd } });
  }
  return rate.tomanPerUsd;
}

async function refuseWhenThrottled(db: Database | Tx, userId: string, now: Date): Promise<void> {
  const minutes = throttleMinutes(await selectFailures(db, userId, addSeconds(now, -3600)), now);
  if (minutes === undefined) return;
  throw new Refusal('gift_card_throttled', { details: { minutes }, retryAfterSeconds: minutes * 60 });
}

async function creditCard(tx: Tx, userId: string, cardId: string, amount: bigint, now: Date): Promise<void> {
  const accounts = await getUserAccounts(tx, userId);
  await postTransfer(
    tx,
    {
      kind: 'gift_card',
      sourceType: 'gift_card',
      sourceId: cardId,
      purpose: 'redeem',
      movements: [
        { accountId: house.giftIssued, amountToman: -amount },
        { accountId: accounts.walletId, amountToman: amount },
      ],
    },
    now,
  );
}

/** Counts the failed try; the reserved idempotency key is given back, because nothing happened under it. */
async function refuseInvalid(deps: RedeemDeps, userId: string, repeatable: Repeatable | undefined): Promise<void> {
  await insertFailure(deps.db, userId, deps.clock.now());
  if (repeatable) await releaseKey(deps.db, repeatable);
}

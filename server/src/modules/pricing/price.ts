import { limits } from '@raha/contract/limits.ts';
import { priceMilliTomanPerGb } from '@raha/contract/money.ts';
import type { Executor } from '../../platform/database.ts';
import { isInTrial, type User } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { isGiving, readAllowance } from '../subscriptions/allowance.ts';
import { getCentsPerGb } from './price-versions.ts';

/**
 * Thousandths of a toman per GB: cents per GB (the operator's, of this moment) times the exchange rate. Undefined while there is no
 * rate: then no new lease is granted, and existing ones continue at their own price.
 */
export async function usualPrice(
  db: Executor,
  exchangeRate: ExchangeRateSource,
  now: Date,
): Promise<bigint | undefined> {
  const current = await exchangeRate.current(db);
  if (!current) return undefined;
  return priceMilliTomanPerGb(await getCentsPerGb(db, now), current.tomanPerUsd);
}

/** A price for display. Without a current exchange rate it is computed from a fixed one, and nothing is sold at it. */
export interface ShownPrice {
  readonly milliToman: bigint;
  readonly isCurrent: boolean;
}

/** The price of usage for display, zero in a trial; without an exchange rate it is estimated instead of missing. */
export async function estimatedPrice(
  db: Executor,
  exchangeRate: ExchangeRateSource,
  user: Pick<User, 'trial_ends_at'>,
  now: Date,
): Promise<ShownPrice> {
  const milliToman = isInTrial(user, now) ? 0n : await usualPrice(db, exchangeRate, now);
  if (milliToman !== undefined) return { milliToman, isCurrent: true };
  const cents = await getCentsPerGb(db, now);
  return { milliToman: priceMilliTomanPerGb(cents, limits.exchangeRate.otherFallbackToman), isCurrent: false };
}

/** The displayed price of usage: zero in a trial, or while a plan covers traffic. */
export async function shownPrice(
  db: Executor,
  exchangeRate: ExchangeRateSource,
  user: Pick<User, 'id' | 'trial_ends_at'>,
  now: Date,
): Promise<ShownPrice> {
  const allowance = await readAllowance(db, user.id, now);
  return isGiving(allowance) ? { milliToman: 0n, isCurrent: true } : await estimatedPrice(db, exchangeRate, user, now);
}

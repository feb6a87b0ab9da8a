import { chargeToman } from '@raha/contract/money.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { readPlanUsage } from '../../src/modules/metering/leases.ts';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { usualPrice } from '../../src/modules/pricing/price.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import type { TestWorld } from '../world.ts';
import { command, type MoneyCommand } from './commands.ts';
import { credit, creditOf, free, type ModelPeriod, type ModelUser, openPeriods, payDebt } from './model.ts';
import { endPeriod, type ModelBooks } from './model-books.ts';
import { type PlanId, planIds, priceAt } from './plan-prices.ts';

/**
 * Plans in T-M1: bought from the wallet, exchanged for another with the rest of their value, and ended. These plans have no
 * traffic limit, so that what is returned follows from time alone; L20 and L23 prove what a limited plan still allows.
 */
const DAYS = 30;
const who = fc.nat({ max: 2 });

async function outcomeOf<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

async function readUse(user: ModelUser, { deps }: TestWorld): Promise<void> {
  const ids = user.periods.map(({ id }) => id);
  const used = await readPlanUsage(deps.db, ids);
  const price = (await usualPrice(deps.db, deps.exchangeRate, deps.clock.now())) ?? 0n;
  for (const period of user.periods) period.usedToman = Number(chargeToman(used.get(period.id) ?? 0n, price));
}

/** Ends periods, takes the price, and returns how much card money paid it; of credits, card money comes back first. */
function sell(books: ModelBooks, user: ModelUser, price: number, ends: readonly ModelPeriod[], now: number) {
  const before = free(user);
  let card = Math.min(user.card, before);
  let bound = Math.min(user.bound, before);
  for (const period of ends) {
    const back = creditOf(period, now);
    user.wallet += back;
    card += Math.min(period.card, back);
    bound += Math.min(period.bound, back);
    endPeriod(books, period, back, now);
  }
  user.wallet -= price;
  user.card = Math.min(card, free(user));
  user.bound = Math.min(bound, free(user));
  const spent = { card: card - user.card, bound: bound - user.bound };
  payDebt(user);
  return spent;
}

/** Requested twice at once, as from two windows: one purchase. */
const buy = fc.tuple(who, fc.constantFrom(...planIds)).map(([at, planId]) =>
  command(`buyPlan(${at}, ${planId})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    if ((user.trialUntil ?? 0) > now) return;
    await readUse(user, world);
    const open = openPeriods(user, now);
    const back = open.reduce((sum, period) => sum + creditOf(period, now), 0);
    const runs = open.some((period) => period.planId === planId && period.startsAt <= now);
    const price = priceAt(model.books, planId, now);
    const isSold = !runs && free(user) + back >= price;
    const request = {
      userId: people[at]?.id as string,
      order: { planId },
      giftCode: undefined,
      seenRateToman: undefined,
      expectedDueToman: undefined,
      idempotent: undefined,
    };
    const outcomes = await Promise.all([1, 2].map(() => outcomeOf(buyPlan(world.deps, request))));
    const sold = outcomes.filter((outcome) => typeof outcome !== 'string');
    expect(sold.length, `${planId} for ${free(user)} + ${back}: ${JSON.stringify(outcomes)}`).toBe(isSold ? 1 : 0);
    const [bought] = sold;
    if (typeof bought !== 'object') return;
    const spent = sell(model.books, user, price, open, now);
    const endsAt = now + DAYS * 86_400_000;
    const terms = { id: bought.periodId, planId, price, ...spent, startsAt: now, endsAt };
    user.periods.push({ ...terms, unearned: price, isOver: false });
  }),
);

/** The newest period again: after its end, or now if it is over. */
const renew = who.map((at) =>
  command(`renewPlan(${at})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    const last = user.periods.at(-1);
    if (!last || (user.trialUntil ?? 0) > now) return;
    const open = openPeriods(user, now);
    const isFree = open.every((period) => period.planId === last.planId && period.startsAt <= now);
    const startsAt = open.at(-1)?.endsAt ?? now;
    const price = priceAt(model.books, last.planId as PlanId, now);
    const request = {
      userId: people[at]?.id as string,
      order: { renewalOf: last.id },
      giftCode: undefined,
      seenRateToman: undefined,
      expectedDueToman: undefined,
      idempotent: undefined,
    };
    const outcome = await outcomeOf(buyPlan(world.deps, request));
    expect(typeof outcome !== 'string', JSON.stringify(outcome)).toBe(isFree && free(user) >= price);
    if (typeof outcome === 'string') return;
    const spent = sell(model.books, user, price, [], now);
    const endsAt = startsAt + DAYS * 86_400_000;
    const terms = { ...last, id: outcome.periodId, price, ...spent, startsAt, endsAt };
    user.periods.push({ ...terms, unearned: price, isOver: false });
  }),
);

/** The newest period or the one before it, running or waiting. */
const cancel = fc.tuple(who, fc.boolean()).map(([at, isNewest]) =>
  command(`cancelPlan(${at}${isNewest ? '' : ', the one before'})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    const period = user.periods.at(isNewest ? -1 : -2);
    if (!period) return;
    await readUse(user, world);
    const isOpen = openPeriods(user, now).includes(period);
    const request = { userId: people[at]?.id as string, periodId: period.id, idempotent: undefined };
    const outcome = await outcomeOf(cancelPlan(world.deps, request));
    expect(typeof outcome !== 'string', JSON.stringify(outcome)).toBe(isOpen);
    if (!isOpen) return;
    const back = creditOf(period, now);
    endPeriod(model.books, period, back, now);
    credit(user, back, Math.min(period.card, back), Math.min(period.bound, back));
  }),
);

export const planCommands: fc.Arbitrary<MoneyCommand>[] = [buy, buy, renew, cancel, cancel];

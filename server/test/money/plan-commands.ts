import fc from 'fast-check';
import { expect } from 'vitest';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { command, type MoneyCommand } from './commands.ts';
import { creditOf, free, type ModelUser, openPeriods, credit as pay } from './model.ts';

/**
 * Plans in T-M1: bought from the wallet, exchanged for another with the rest of their value, and ended. These plans have no
 * traffic limit, so that what is returned follows from time alone; L20 and L23 prove what a limited plan still allows.
 */
const prices = { premium: 199_000, business: 398_000 } as const;
type PlanId = keyof typeof prices;
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

/** Requested twice at once, as from two windows: one purchase. */
const buy = fc.tuple(who, fc.constantFrom<PlanId>('premium', 'business')).map(([at, planId]) =>
  command(`buyPlan(${at}, ${planId})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    const open = openPeriods(user, now);
    const credit = open.reduce((sum, period) => sum + creditOf(period, now), 0);
    const runs = open.some((period) => period.planId === planId && period.startsAt <= now);
    const isSold = !runs && free(user) + credit >= prices[planId];
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
    expect(sold.length, `${planId} for ${free(user)} + ${credit}: ${JSON.stringify(outcomes)}`).toBe(isSold ? 1 : 0);
    const [bought] = sold;
    if (typeof bought !== 'object') return;
    for (const period of open) period.isOver = true;
    user.wallet -= prices[planId];
    pay(user, credit);
    const endsAt = now + DAYS * 86_400_000;
    user.periods.push({ id: bought.periodId, planId, price: prices[planId], startsAt: now, endsAt, isOver: false });
  }),
);

/** The newest period again: after its end, or now if it is over. */
const renew = who.map((at) =>
  command(`renewPlan(${at})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    const last = user.periods.at(-1);
    if (!last) return;
    const open = openPeriods(user, now);
    const isFree = open.every((period) => period.planId === last.planId && period.startsAt <= now);
    const startsAt = open.at(-1)?.endsAt ?? now;
    const request = {
      userId: people[at]?.id as string,
      order: { renewalOf: last.id },
      giftCode: undefined,
      seenRateToman: undefined,
      expectedDueToman: undefined,
      idempotent: undefined,
    };
    const outcome = await outcomeOf(buyPlan(world.deps, request));
    expect(typeof outcome !== 'string', JSON.stringify(outcome)).toBe(isFree && free(user) >= last.price);
    if (typeof outcome === 'string') return;
    user.wallet -= last.price;
    const endsAt = startsAt + DAYS * 86_400_000;
    user.periods.push({ ...last, id: outcome.periodId, startsAt, endsAt, isOver: false });
  }),
);

/** The newest period or the one before it, running or waiting. */
const cancel = fc.tuple(who, fc.boolean()).map(([at, isNewest]) =>
  command(`cancelPlan(${at}${isNewest ? '' : ', the one before'})`, async (model, { world, people, clock }) => {
    const user = model.people[at] as ModelUser;
    const now = clock.now().getTime();
    const period = user.periods.at(isNewest ? -1 : -2);
    if (!period) return;
    const isOpen = openPeriods(user, now).includes(period);
    const request = { userId: people[at]?.id as string, periodId: period.id, idempotent: undefined };
    const outcome = await outcomeOf(cancelPlan(world.deps, request));
    expect(typeof outcome !== 'string', JSON.stringify(outcome)).toBe(isOpen);
    if (!isOpen) return;
    pay(user, creditOf(period, now));
    period.isOver = true;
  }),
);

export const planCommands: fc.Arbitrary<MoneyCommand>[] = [buy, buy, renew, cancel, cancel];

import fc from 'fast-check';
import { findPlannedVersion } from '../../src/modules/subscriptions/plans.ts';
import { cancelVersion, setPlan } from '../../src/modules/subscriptions/set-plan.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { actor } from '../world.ts';
import { command, type MoneyCommand } from './commands.ts';
import type { ModelBooks } from './model-books.ts';

/** Prices of plans in T-M1: changed at once, planned, and cancelled before their moment. All people of all runs buy at them. */
export const planIds = ['premium', 'business'] as const;
export type PlanId = (typeof planIds)[number];

export interface ModelPrice {
  readonly from: number;
  readonly price: number;
}

export const initialPrices = (): Record<PlanId, ModelPrice[]> => ({
  premium: [{ from: 0, price: 199_000 }],
  business: [{ from: 0, price: 398_000 }],
});

/** Of two that hold from the same moment on the one that was made later: it was made at once, after a planned one had begun. */
export function priceAt({ planPrices }: ModelBooks, id: PlanId, now: number): number {
  const begun = planPrices[id].filter(({ from }) => from <= now);
  return begun.toSorted((a, b) => a.from - b.from).at(-1)?.price as number;
}

const AHEAD_SECONDS = 120;
const plans = fc.constantFrom(...planIds);
const prices = fc.integer({ min: 1, max: 600 }).map((thousands) => thousands * 1_000);

const change = fc.tuple(plans, prices, fc.boolean()).map(([id, price, isPlanned]) =>
  command(`planPrice(${id}, ${price}${isPlanned ? ', planned' : ''})`, async ({ books }, { world, clock }) => {
    const now = clock.now();
    const isBusy = books.planPrices[id].some(({ from }) => from > now.getTime());
    if ((isPlanned && isBusy) || price === priceAt(books, id, now.getTime())) return;
    const from = isPlanned ? addSeconds(now, AHEAD_SECONDS) : undefined;
    await setPlan(world.deps, { actor, id, change: { priceToman: BigInt(price) }, from });
    books.planPrices[id].push({ from: (from ?? now).getTime(), price });
  }),
);

const cancelPlanned = fc.constant(
  command('cancelPlannedPlanPrice()', async ({ books }, { world, clock }) => {
    const now = clock.now();
    const planned = await findPlannedVersion(world.deps.db, addSeconds(now, AHEAD_SECONDS / 2));
    if (!planned) return;
    await cancelVersion(world.deps, { actor, id: planned.id });
    const id = planned.planId as PlanId;
    books.planPrices[id] = books.planPrices[id].filter(({ from }) => from !== planned.validFrom.getTime());
  }),
);

export const planPriceCommands: fc.Arbitrary<MoneyCommand>[] = [change, change, cancelPlanned];

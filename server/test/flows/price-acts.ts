import { cancelPrice, changePrice } from '../../src/modules/pricing/change-price.ts';
import { selectNewest } from '../../src/modules/pricing/tables.ts';
import { addDays } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import type { TestWorld } from '../world.ts';
import type { Act } from './audit-acts.ts';
import { twoMembers } from './two-members.ts';

async function order(world: TestWorld) {
  const seen = (await selectNewest(world.deps.db))[0]?.id ?? null;
  return { actor: (await twoMembers(world)).member, usdCentsPerGb: 7, seen, reason: 'the servers cost more' };
}

/** What members do about prices. */
export const priceActs: Readonly<Record<string, Act>> = {
  'prices.change': async ({ world }) => {
    const change = { ...(await order(world)), from: undefined };
    return () => inTransaction(world.deps.db, (tx) => changePrice(tx, world.deps, change));
  },
  'prices.cancel': async ({ world, clock }) => {
    const planned = { ...(await order(world)), from: addDays(clock.now(), 1) };
    const { id } = await inTransaction(world.deps.db, (tx) => changePrice(tx, world.deps, planned));
    return () => cancelPrice(world.deps, { actor: planned.actor, id, reason: 'not yet' });
  },
};

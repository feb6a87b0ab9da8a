import { checkCode } from '../../src/modules/gift-cards/check-code.ts';
import { expireCards } from '../../src/modules/gift-cards/expire-cards.ts';
import { exportBatch } from '../../src/modules/gift-cards/export-batch.ts';
import { issueBatch } from '../../src/modules/gift-cards/issue-batch.ts';
import { sellBatch, settleSale } from '../../src/modules/gift-cards/sell-batch.ts';
import { voidCards } from '../../src/modules/gift-cards/void-cards.ts';
import { actor } from '../world.ts';
import type { Act } from './audit-acts.ts';

const given = { actor, operator: 'Maryam', reason: 'they asked for it' } as const;
const DAY_MS = 86_400_000;

/** What operators do about gift cards. */
export const cardActs: Readonly<Record<string, Act>> = {
  'gift-cards.check': async ({ world }) => {
    const typed = await world.giftCard();
    return () => checkCode(world.deps, { actor, typed });
  },
  'gift-cards.issue': async ({ world: { deps } }) => {
    return () => issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
  },
  'gift-cards.export': async ({ world: { deps } }) => {
    const { batchId } = await issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
    return () => exportBatch(deps, { actor, batchId }, async () => undefined);
  },
  'gift-cards.expire': async ({ world: { deps }, clock }) => {
    const { batchId } = await issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
    return () => expireCards(deps, { actor, batchId, at: new Date(clock.now().getTime() + DAY_MS) });
  },
  'gift-cards.void': async ({ world: { deps } }) => {
    const { batchId } = await issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
    return () => voidCards(deps, { actor, which: { batchId } });
  },
  'gift-cards.sell': async ({ world: { deps } }) => {
    const { batchId } = await issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
    return () => sellBatch(deps, { ...given, batchId, buyer: 'a shop', toman: 800_000n });
  },
  'gift-cards.settle': async ({ world: { deps } }) => {
    const { batchId } = await issueBatch(deps, { actor, count: 2, usd: '5', keepForExport: true });
    await sellBatch(deps, { ...given, batchId, buyer: 'a shop', toman: 800_000n });
    return () => settleSale(deps, { ...given, batchId, kind: 'paid', toman: 500_000n });
  },
};

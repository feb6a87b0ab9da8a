import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { TestUser } from '../e2e/world/user.ts';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { checkLedger } from '../server/src/app/check-ledger.ts';
import { createConfig } from '../server/src/modules/configs/create-config.ts';
import { addNode } from '../server/src/modules/fleet/add-node.ts';
import { noteHealth } from '../server/src/modules/fleet/node-state.ts';
import { house } from '../server/src/modules/ledger/house.ts';
import { postTransfer } from '../server/src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../server/src/modules/ledger/user-accounts.ts';
import { newId } from '../server/src/platform/random.ts';
import { openProduct, type Product, signUp } from './charges.ts';
import { type Figure, medianFigure, ratioFigure, type Say } from './run.ts';
import { median } from './statistics.ts';
import { freshDatabase } from './transfers.ts';

const NODES = 5;
const CONFIGS = 20;
const ROUNDS = 7;
const PURCHASES = 12;

/**
 * (j) A plan is bought over HTTP and cancelled again, by a user without configs and by one with twenty live configs on five
 * nodes, whose leases the purchase recalls and grants anew; in turns. Only the purchase is timed.
 */
export async function measurePurchases(clusterUrl: string, say: Say): Promise<Figure[]> {
  const product = await openProduct(await freshDatabase(clusterUrl, 'bench_purchases'));
  const { deps } = product;
  try {
    await setSettingByKey(deps.db, 'trial.passwordlessDays', '0', deps.clock.now());
    await setSettingByKey(deps.db, 'configs.perUser', String(CONFIGS), deps.clock.now());
    const [without, owner] = [await signUp(product, 0), await signUp(product, 1)];
    for (const { user } of [without, owner]) await credit(product, user.id);
    await addConfigs(product, owner.user.id, { nodes: NODES, configs: CONFIGS });
    const runs = { without: [] as number[], many: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.without.push(await buyOften(without));
      runs.many.push(await buyOften(owner));
      say(
        `  round ${round + 1}: ${runs.without.at(-1)?.toFixed(1)} ms without, ${runs.many.at(-1)?.toFixed(1)} ms with`,
      );
    }
    const { violations } = await checkLedger(deps.db);
    if (violations.length > 0) throw new Error(`The ledger does not hold after the run: ${violations[0]?.invariant}`);
    return [
      medianFigure('j', 'plan bought without configs', 'ms', runs.without),
      medianFigure('j', `plan bought with ${CONFIGS} configs on ${NODES} nodes`, 'ms', runs.many),
      ratioFigure('j', 'with configs to without', runs.many, runs.without, { atMost: 3 }),
    ];
  } finally {
    await product.close();
  }
}

async function buyOften({ api }: TestUser): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < PURCHASES; count += 1) {
    const begin = performance.now();
    const { data } = await api.purchaseSubscription({ body: { plan_id: 'premium' } });
    times.push(performance.now() - begin);
    await api.cancelSubscription({ params: { id: data.subscription.id } });
  }
  return median(times);
}

export async function credit({ deps }: Product, userId: string): Promise<void> {
  const { walletId } = await getUserAccounts(deps.db, userId);
  const now = deps.clock.now();
  const movements = [
    { accountId: house.adjustment, amountToman: -1_000_000_000n },
    { accountId: walletId, amountToman: 1_000_000_000n },
  ];
  const cause = { kind: 'adjustment', sourceType: 'bench', sourceId: newId(now), purpose: 'bench' } as const;
  await postTransfer(deps.db, { ...cause, movements }, now);
}

/** Live configs of a user, in turns on nodes that are online. */
export async function addConfigs(
  { deps }: Product,
  userId: string,
  count: { readonly nodes: number; readonly configs: number },
): Promise<void> {
  const nodes: string[] = [];
  for (let index = 0; index < count.nodes; index += 1) {
    const { nodeId } = await addNode(deps, {
      ...{ name: `bench-${index}`, country: 'DE', city: 'Frankfurt', address: '198.51.100.2' },
    });
    const health = { load: 0, tunnelsUp: true, protocols: ['wireguard' as const], agentVersion: 'bench' };
    const seen = { pingMs: null, from: undefined };
    await noteHealth(deps.db, nodeId, { ...health, unmeteredUpperBoundBytes: 0 }, seen, deps.clock.now());
    await sql`UPDATE node SET wireguard_public_key = ${newKey()} WHERE id = ${nodeId}`.execute(deps.db);
    nodes.push(nodeId);
  }
  for (let index = 0; index < count.configs; index += 1)
    await createConfig(deps, userId, {
      ...{
        name: `device ${index}`,
        serverId: nodes[index % count.nodes] as string,
        protocol: 'wireguard',
        publicKey: newKey(),
      },
    });
}

function newKey(): string {
  return `${randomBytes(31).toString('base64').slice(0, 42)}A=`;
}

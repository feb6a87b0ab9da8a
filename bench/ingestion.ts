import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { ControlPlane } from '../e2e/world/control-plane.ts';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { readMasterKey } from '../server/src/app/master-key.ts';
import { openDeps } from '../server/src/app/open-deps.ts';
import { activateUser, completeUserProfile, findOrCreateByProvedEmail } from '../server/src/modules/accounts/users.ts';
import { bookPastHours } from '../server/src/modules/billing/book-usage.ts';
import { createConfig } from '../server/src/modules/configs/create-config.ts';
import { addNode } from '../server/src/modules/fleet/add-node.ts';
import { house } from '../server/src/modules/ledger/house.ts';
import { postTransfer } from '../server/src/modules/ledger/post-transfer.ts';
import { getUserAccounts, openUserAccounts } from '../server/src/modules/ledger/user-accounts.ts';
import { addSeconds } from '../server/src/platform/clock.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { inTransaction } from '../server/src/platform/database.ts';
import { findEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts';
import { createLog } from '../server/src/platform/log.ts';
import { enrolWith, type FakeNode } from '../server/test/fake-node.ts';
import type { Pgbench } from './pgbench.ts';
import { type Figure, medianFigure, rateOf, ratioFigure, type Say } from './run.ts';

const NODES = 4;
const CONFIGS_PER_NODE = 2_000;
const SECONDS = 8;
const ROUNDS = 5;
/**
 * Each report changes and charges every config. As in production, the charges of a config are booked in the ledger with
 * one report of sixteen; at the end all of them must be there.
 */
const BYTES_PER_REPORT = 1_000_000;
const TOMAN_PER_REPORT = 3;

export type Deps = Awaited<ReturnType<typeof openDeps>>;
export interface BusyNode {
  readonly node: FakeNode;
  readonly configs: readonly string[];
  total: number;
}

/**
 * (b) Usage reports over HTTP, signed like a node's, from four nodes at once. Every report changes every config, and each is
 * charged to another user. Alternates with TPC-B on the same server.
 */
export async function measureIngestion(controlPlane: ControlPlane, pgbench: Pgbench, say: Say): Promise<Figure[]> {
  const deps = await depsOf(controlPlane);
  try {
    const begin = performance.now();
    const nodes: BusyNode[] = [];
    for (let n = 0; n < NODES; n++) nodes.push(await busyNode(deps, controlPlane.url, n));
    say(
      `  ${NODES * CONFIGS_PER_NODE} people with a config each, made in ${((performance.now() - begin) / 1_000).toFixed(0)} s`,
    );
    // As autovacuum does within a minute; otherwise the first reports would be planned for empty tables.
    await sql`ANALYZE`.execute(deps.db);
    const runs = { tpcb: [] as number[], reports: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.tpcb.push(await pgbench.run(SECONDS));
      runs.reports.push(await rateOf(NODES, SECONDS, (index) => report(nodes[index]!)));
      say(
        `  round ${round + 1}: TPC-B ${runs.tpcb.at(-1)?.toFixed(0)}/s, changed configs ${runs.reports.at(-1)?.toFixed(0)}/s`,
      );
    }
    await expectAllCharged(deps, nodes);
    return [
      medianFigure('b', 'TPC-B (pgbench)', 'tx/s', runs.tpcb),
      medianFigure('b', 'usage ingestion over HTTP with ledger effect', 'changed configs/s', runs.reports),
      ratioFigure('b', 'changed configs to TPC-B', runs.reports, runs.tpcb, { atLeast: 20 }),
    ];
  } finally {
    await deps.close();
  }
}

/** Dependencies for calling parts of the product directly, beside the running product. */
export async function depsOf(controlPlane: ControlPlane): Promise<Deps> {
  const config = readConfig(controlPlane.environment);
  const databaseUrl = (await findEmbeddedPostgres(join(controlPlane.dataDir, 'postgres')))!;
  const masterKey = readMasterKey(config);
  return await openDeps({ config, databaseUrl, masterKey, log: createLog('error'), worker: false });
}

export async function report(busy: BusyNode): Promise<number> {
  busy.total += BYTES_PER_REPORT;
  const half = busy.total / 2;
  await busy.node.report(busy.configs.map((config) => ({ config, up: half, down: half })));
  return busy.configs.length;
}

async function busyNode(deps: Deps, origin: string, index: number): Promise<BusyNode> {
  const node = await emptyNode(deps, origin, index);
  const configs: string[] = [];
  let next = 0;
  const make = async () => {
    while (next < CONFIGS_PER_NODE) {
      const email = `bench-${index}-${next++}@example.com`;
      configs.push((await userWithConfig(deps, email, node.id)).configId);
      // Creating all of them takes longer than a node may be silent.
      if (next % 500 === 0) await node.report([]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, make));
  await node.settle();
  return { node, configs, total: 0 };
}

/** A node that is enrolled and online, and has no configs. */
export async function emptyNode(deps: Deps, origin: string, index: number): Promise<FakeNode> {
  // Its reports follow each other as fast as they are accepted.
  await setSettingByKey(deps.db, 'nodes.linkGbitPerSecond', '1000', new Date());
  const { token } = await addNode(deps, {
    name: `bench-${index}`,
    country: 'DE',
    city: 'Frankfurt',
    address: '198.51.100.2',
  });
  const node = await enrolWith({ origin }, token);
  await node.report([]);
  await node.settle();
  return node;
}

export async function userWithConfig(deps: Deps, email: string, serverId: string) {
  const now = deps.clock.now();
  const userId = await inTransaction(deps.db, async (tx) => {
    const { user } = await findOrCreateByProvedEmail(tx, email, now);
    await openUserAccounts(tx, user.id, now);
    await completeUserProfile(tx, deps.vault, user, 'Bench', now);
    await activateUser(tx, user.id, now);
    return user.id;
  });
  const { walletId } = await getUserAccounts(deps.db, userId);
  const movements = [
    { accountId: house.adjustment, amountToman: -10_000_000n },
    { accountId: walletId, amountToman: 10_000_000n },
  ];
  const cause = { kind: 'adjustment', sourceType: 'bench', sourceId: userId, purpose: 'fund' } as const;
  await postTransfer(deps.db, { ...cause, movements }, now);
  const publicKey = `${randomBytes(31).toString('base64').slice(0, 42)}A=`;
  const { config } = await createConfig(deps, userId, { name: 'bench', serverId, protocol: 'wireguard', publicKey });
  return { userId, configId: config.id };
}

/** The figure is valid only if all bytes are billed, and all bills are in the ledger. */
export async function expectAllCharged(deps: Deps, nodes: readonly BusyNode[]): Promise<void> {
  const clock = { now: () => addSeconds(deps.clock.now(), 3_600) };
  while ((await bookPastHours({ ...deps, clock })).length > 0);
  const reported = nodes.reduce((sum, { configs, total }) => sum + BigInt(configs.length) * BigInt(total), 0n);
  const { rows } = await sql<{ billed: bigint; unbilled: bigint; booked: bigint }>`
    SELECT sum(billed_bytes)::bigint AS billed, sum(unbilled_bytes)::bigint AS unbilled,
      (SELECT sum(amount)::bigint FROM ledger_entry WHERE account_id = ${house.usageRevenue}) AS booked
    FROM meter
  `.execute(deps.db);
  const { billed, unbilled, booked } = rows[0]!;
  const price = (reported / BigInt(BYTES_PER_REPORT)) * BigInt(TOMAN_PER_REPORT);
  if (billed !== reported || unbilled !== 0n || booked !== price) {
    throw new Error(
      `Reported ${reported} bytes, billed ${billed}, left out ${unbilled}; booked ${booked} of ${price} toman`,
    );
  }
}

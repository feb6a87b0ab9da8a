import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/app/migrate.ts';
import { adjust, balancesOf, makeUser } from '../money/bench.ts';
import { openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';
import { type CutService, type CutUser, holdRestore, openCutService } from './cut-service.ts';
import { type Machine, type PatroniCluster, startPatroniCluster } from './patroni-cluster.ts';

/**
 * The primary of a Patroni cluster is killed with its machine, isolated, and changed on purpose, while money moves and
 * calls arrive: everything acknowledged is there, no call is answered with 404 or 500, and service is back within a minute. Two users whose
 * service is cut have paid: of one the payment was acknowledged before, and the job that brings the service back was under way; the
 * other's is acknowledged as soon as the database is back. Both are online again without doing anything. By `npm run test:failover`;
 * docs/failover.md has the output of a run.
 */
const LANES = 8;
const STEP = 1_000;
const ACKNOWLEDGED = 1_000;
const BACK_MS = 60_000;
/** A job that was under way is run again within a minute (decision 82). A wait, not a measure: the output says how long it took. */
const SERVED_MS = 300_000;
let cluster: PatroniCluster;
let world: TestWorld;
let caller: TestUser;
let payer: { id: string };
let service: CutService;
let [acknowledged, begun] = [0, 0];
let lastAt = 0;
let longestMs = 0;
/** When the longest time without an acknowledged payment was over. */
let backAt = 0;
/** How long this machine was awake: one that was stopped for a while, as test machines are, is no database that is away. */
let awakeMs = 0;
const statuses = new Map<number, number>();

let ticker: NodeJS.Timeout;
beforeAll(async () => {
  let tickAt = performance.now();
  ticker = setInterval(() => {
    awakeMs += Math.min(performance.now() - tickAt, 1_000);
    tickAt = performance.now();
  }, 100);
  cluster = await startPatroniCluster();
  await migrate(cluster.url);
  world = await openTestWorld({
    database: { url: cluster.url, drop: async () => {} },
    overrides: { minuteLimit: unlimited },
  });
  caller = await world.user();
  payer = await makeUser(world);
  service = await openCutService(world);
}, 900_000);
afterAll(async () => {
  clearInterval(ticker);
  await service?.stop();
  await world?.close();
  await cluster?.stop();
}, 120_000);

test.each<[string, (primary: Machine) => Promise<unknown>, (primary: Machine) => void]>([
  ['the machine of the primary is killed', (primary) => cluster.kill(primary), (primary) => cluster.revive(primary)],
  ['its cable is drawn out', async (primary) => cluster.cut(primary), (primary) => cluster.join(primary)],
  ['another one takes over on purpose', (primary) => cluster.switchOver(primary), () => undefined],
])('%s', { timeout: 1_200_000 }, async (what, harm, mend) => {
  const before = await cluster.primary();
  const [early, late] = [await service.cutUser(), await service.cutUser()];
  const start = acknowledged;
  [longestMs, lastAt] = [0, awakeMs];
  statuses.clear();
  let isOver = false;
  const paying = pay(() => isOver);
  const calling = call(() => isOver);
  await reach(start + ACKNOWLEDGED / 2);
  await holdRestore(cluster.url, early.id, early.verify);
  await harm(before);
  const atHarm = acknowledged;
  const verifying = late.verify();
  const served = Promise.all([early, late].map(servedAt));
  await reach(atHarm + LANES + ACKNOWLEDGED / 2);
  isOver = true;
  await Promise.all([paying, calling, verifying]);
  const waitedMs = (await served).map((at) => at - backAt);
  mend(before);
  const after = await cluster.primary();
  const [{ balance } = { balance: 0 }] = await balancesOf(world, [payer]);
  console.log(
    `${what}: ${acknowledged - start} acknowledged, ${Math.max(0, acknowledged - balance / STEP)} lost; ` +
      `longest gap ${seconds(longestMs)}; calls by status ${JSON.stringify(Object.fromEntries(statuses))}; ` +
      `service after the database: paid before ${seconds(waitedMs[0])}, meanwhile ${seconds(waitedMs[1])}`,
  );
  expect(balance / STEP).toBeGreaterThanOrEqual(acknowledged);
  expect(balance / STEP).toBeLessThanOrEqual(begun);
  expect([...statuses.keys()].filter((status) => ![200, 503].includes(status))).toEqual([]);
  expect(after).not.toBe(before);
  expect(longestMs).toBeLessThan(BACK_MS);
  await world.proveLedger();
});

/** Payments until it is over, each as soon as the one before has an outcome. */
async function pay(isOver: () => boolean): Promise<void> {
  const lane = async () => {
    while (!isOver()) {
      begun += 1;
      const isDone = await adjust(world, payer.id, STEP).then(
        () => true,
        () => pause(),
      );
      if (!isDone) continue;
      acknowledged += 1;
      if (awakeMs - lastAt > longestMs) [longestMs, backAt] = [awakeMs - lastAt, awakeMs];
      lastAt = awakeMs;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Calls that read and calls that write, and how they were answered. */
async function call(isOver: () => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${caller.token}` };
  for (let count = 0; !isOver(); count += 1) {
    const [method, path] = count % 2 === 0 ? ['GET', '/auth/me'] : ['PUT', '/notifications/read-all'];
    const { status } = await fetch(`${world.origin}/api/v1${path}`, { method, headers });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await pause();
  }
}

/** Waits until the node has what the user paid for: when that was. */
async function servedAt(user: CutUser): Promise<number> {
  const begun = awakeMs;
  while (!user.isServed()) {
    if (awakeMs - begun > SERVED_MS) throw new Error(`${user.id} has paid and is still cut`);
    await pause();
  }
  return awakeMs;
}

function seconds(ms = 0): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function reach(count: number): Promise<void> {
  while (acknowledged < count) await pause();
}

async function pause(): Promise<false> {
  await new Promise((done) => setTimeout(done, 50));
  return false;
}

import fc from 'fast-check';
import { sql } from 'kysely';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { bookPastHours } from '../../src/modules/billing/book-usage.ts';
import { receiveUsageReport } from '../../src/modules/billing/receive-usage-report.ts';
import { reclaimIdleLeases, restoreService } from '../../src/modules/billing/restore-service.ts';
import { createConfig } from '../../src/modules/configs/create-config.ts';
import { findPlannedPrice } from '../../src/modules/pricing/price-versions.ts';
import { insertVersion } from '../../src/modules/pricing/tables.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/random.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { announceKept } from '../../src/platform/settings.ts';
import { runTrial } from '../trial.ts';
import { command, type MoneyCommand, type Real } from './commands.ts';
import { openPeriods } from './model.ts';

/**
 * Leases and usage in T-M1: reserving and returning leave the balance as it is, whatever is reported and in whatever order.
 * After each run the invariants P1, P2, L13 and L15 prove that what usage cost is right.
 */
const who = fc.nat({ max: 2 });

const grantLease = who.map((user) =>
  command(`grantLease(${user})`, async (_model, real) => {
    const userId = real.people[user]?.id as string;
    if (real.configs.has(user)) return await restoreService(real.world.deps, userId);
    await report(real, []);
    try {
      const order = { name: 'T-M1', serverId: real.node.id, protocol: 'wireguard' };
      const { config } = await createConfig(real.world.deps, userId, order);
      real.configs.set(user, { id: config.id, bytes: 0 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }),
);

/**
 * The node counts up to its lease and no further; a report may arrive twice. A node that has not heard of its new lease
 * counts up to the one it last heard of.
 */
const reportUsage = fc
  .tuple(who, fc.integer({ min: 0, max: 40_000_000 }), fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .map(([user, bytes, twice, deaf]) =>
    command(`reportUsage(${user}, ${bytes}${deaf === 0 ? ', deaf' : ''})`, async (_model, real) => {
      const config = real.configs.get(user);
      if (!config) return;
      if (deaf !== 0 || !config.lease) config.lease = await leaseOf(real, config.id);
      config.bytes = Math.max(config.bytes, Math.min(config.bytes + bytes, config.lease.limit));
      const sample = { config: config.id, up: config.bytes, down: 0, leaseVersion: config.lease.version };
      await report(real, [sample]);
      if (twice) await report(real, [sample]);
    }),
  );

/** Once per user, before the first config: P3 and P4 prove that free is exactly what was used, up to the limit. */
const beginTrial = fc.tuple(who, fc.integer({ min: 1, max: 60 })).map(([at, megabytes]) =>
  command(`beginTrial(${at}, ${megabytes} MB)`, async (model, { world, people, configs, clock }) => {
    const user = model.people[at];
    const now = clock.now().getTime();
    if (!user || configs.has(at) || user.trialUntil !== undefined || openPeriods(user, now).length > 0) return;
    await runTrial(world, people[at]?.id as string, 2, megabytes * 1_000_000);
    user.trialUntil = now + 2 * 86_400_000;
  }),
);

const expireLease = fc.constant(
  command('expireLease', async (_model, real) => {
    real.clock.advance(601_000);
    await reclaimIdleLeases(real.world.deps);
  }),
);

const book = fc.constant(
  command('book', async (_model, real) => {
    real.clock.advance(1_800_000);
    await bookPastHours(real.world.deps);
  }),
);

const priceChange = fc.integer({ min: 0, max: 5_000 }).map((cents) =>
  command(`priceChange(${cents})`, async (_model, real) => {
    await setSettingByKey(real.world.deps.db, 'price.usdCentsPerGb', String(cents), real.clock.now());
  }),
);

/** It comes into force when the clock of other commands gets there. */
const plannedPrice = fc.integer({ min: 0, max: 5_000 }).map((cents) =>
  command(`plannedPrice(${cents})`, async (_model, real) => {
    const { db } = real.world.deps;
    const now = real.clock.now();
    if (await findPlannedPrice(db, now)) return;
    const row = { id: newId(now), usdCentsPerGb: cents, validFrom: addSeconds(now, 120), createdAt: now };
    await inTransaction(db, async (tx) => {
      await insertVersion(tx, { ...row, createdBy: null, reason: null });
      await announceKept(tx);
    });
  }),
);

async function report(real: Real, samples: Parameters<Real['node']['makeReport']>[0]): Promise<void> {
  real.node.seq += 1;
  await receiveUsageReport(real.world.deps, real.node.id, real.node.makeReport(samples));
}

async function leaseOf(real: Real, configId: string): Promise<{ limit: number; version: number }> {
  const { rows } = await sql<{ lease_limit_bytes: bigint; lease_version: bigint }>`
    SELECT lease_limit_bytes + unpaid_bytes + unbilled_bytes AS lease_limit_bytes, lease_version FROM meter WHERE config_id = ${configId}
  `.execute(real.world.deps.db);
  return { limit: Number(rows[0]?.lease_limit_bytes ?? 0), version: Number(rows[0]?.lease_version ?? 0) };
}

export const usageCommands: fc.Arbitrary<MoneyCommand>[] = [
  beginTrial,
  grantLease,
  grantLease,
  reportUsage,
  reportUsage,
  reportUsage,
  expireLease,
  book,
  priceChange,
  plannedPrice,
];

import { createHash } from 'node:crypto';
import type { UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import type { Bus } from '../../platform/bus.ts';
import { byIndex, type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type AnomalyKind, noteAnomaly } from '../fleet/anomalies.ts';
import { acceptEpoch, noteHealth, notePassed } from '../fleet/node-state.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { findUserAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { recordBlockedQueries } from '../metering/blocked-queries.ts';
import { countLiveMeters, lockMeters } from '../metering/leases.ts';
import { type Reading, recordReadings } from '../metering/record-readings.ts';
import { medianPing, recordTunnelStatus, type TunnelChange } from '../metering/record-tunnel-status.ts';
import { decideSequence, wireLimit } from '../metering/rules.ts';
import { connectionChanged, nodeReported } from '../metering/signals.ts';
import { usualPrice } from '../pricing/price.ts';
import { bookUsage } from './book-usage.ts';
import { type GrantDeps, type Granted, grantLeases } from './grant-leases.ts';
import type { ServiceNotifier } from './notifications.ts';
import { releaseLease } from './release-lease.ts';
import { hasNothingLeft, isUsedUp, needsRefill } from './rules.ts';

export interface ReportDeps extends GrantDeps {
  readonly db: Database;
  readonly bus: Bus;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly notifier: ServiceNotifier;
  /** Called with configs whose removal the node has confirmed; their slots may be used again. */
  readonly confirmRemoval: (tx: Tx, configIds: readonly string[]) => Promise<void>;
}

/**
 * One report of a node, in one transaction: readings → booking → released leases → fresh leases → acknowledgement.
 * Receiving it again gives the same answer and moves nothing. `from` is the node's own address.
 */
export async function receiveUsageReport(
  deps: ReportDeps,
  nodeId: string,
  report: UsageReport,
  from?: string,
): Promise<UsageReply> {
  const now = deps.clock.now();
  const hash = createHash('sha256')
    .update(JSON.stringify([report.samples, report.closing ?? false]))
    .digest('hex');
  const { reply, changes, anomalies } = await inTransaction(deps.db, async (tx) => {
    await byIndex(tx);
    const sequence = await acceptEpoch(
      tx,
      nodeId,
      { epoch: report.epoch, seq: report.seq, hash, closing: report.closing ?? false },
      decideSequence,
    );
    const { readings, billedBytes, hasForeign } = await recordReadings(
      tx,
      { nodeId, epoch: report.epoch, seq: report.seq, samples: report.samples, ageMs: report.ageMs },
      now,
    );
    const isPlausible = await notePassed(tx, nodeId, billedBytes, now);
    await bookUsage(tx, deps, readings, now);
    await applyReleases(tx, deps, readings, now);
    // Who is not answered asks again: an honest node that was misjudged goes on at the pace of the link.
    const leases =
      sequence === 'fork' || report.closing || !isPlausible ? [] : await refill(tx, deps, report.epoch, readings);
    const changes = await recordTunnelStatus(tx, nodeId, report.tunnels, now);
    // Unlike totals these are differences: they count once.
    if (sequence === 'accept') await recordBlockedQueries(tx, nodeId, report.blockedQueries ?? [], now);
    await noteHealth(tx, nodeId, report.health, { pingMs: medianPing(report.tunnels), from }, now);
    const epoch = sequence === 'fork' ? ('mint-epoch' as const) : ('continue' as const);
    const anomalies: AnomalyKind[] = [];
    if (sequence === 'fork') anomalies.push('cloned');
    if (hasForeign) anomalies.push('foreign_configs');
    if (sequence === 'accept' && readings.some((reading) => reading.newly_unbilled > 0n))
      anomalies.push('beyond_lease');
    if (!isPlausible && billedBytes > 0n) anomalies.push('beyond_link');
    for (const kind of anomalies) await noteAnomaly(tx, nodeId, kind, now);
    return { reply: { ackSeq: report.seq, epoch, leases }, changes, anomalies };
  });
  for (const kind of anomalies) deps.log.warn({ node: nodeId, seq: report.seq, kind }, messages[kind]);
  tellPanels(deps.bus, nodeId, changes);
  return reply;
}

const messages: Record<AnomalyKind, string> = {
  cloned: 'a report number came twice: new epoch asked for',
  foreign_configs: 'a node reported configs that are not its own: left out',
  beyond_lease: 'a node reported more bytes than it was allowed to pass: not billed',
  beyond_link: 'a node reported more bytes than its link can have carried: nothing new is leased to it meanwhile',
  former_machine: 'a machine that was replaced still speaks: refused',
};

/**
 * Money, and bytes of plans, come back when a node confirms a lower limit (it echoes the lease's version) or has read a
 * config a last time.
 */
async function applyReleases(tx: Tx, deps: ReportDeps, readings: readonly Reading[], now: Date): Promise<void> {
  const final = readings.filter((reading) => reading.final);
  const shrunk = readings.filter(
    (reading) => !reading.final && reading.lease_shrink_to !== null && reading.sample_version === reading.lease_version,
  );
  if (final.length + shrunk.length === 0) return;
  const targets = new Map([
    ...final.map((reading) => [reading.config_id, 0n] as const),
    ...shrunk.map((reading) => [reading.config_id, reading.lease_shrink_to ?? 0n] as const),
  ]);
  for (const meter of await lockMeters(tx, [...targets.keys()])) {
    await releaseLease(tx, meter, targets.get(meter.config_id) ?? meter.lease_limit_bytes, now);
    // Also for no toman at all: bytes of a plan may have come back.
    await deps.jobs.send(tx, fundsAdded, { userId: meter.user_id });
  }
  if (final.length > 0)
    await deps.confirmRemoval(
      tx,
      final.map((reading) => reading.config_id),
    );
}

/** Leases for the configs that run low, and again those whose raise the node has not heard of. */
async function refill(
  tx: Tx,
  deps: ReportDeps,
  epoch: string,
  readings: readonly Reading[],
): Promise<UsageReply['leases']> {
  const low = readings.filter(
    (reading) =>
      !reading.final &&
      needsRefill({
        billed: reading.billed_bytes,
        limit: reading.lease_limit_bytes,
        grantBytes: reading.lease_grant_bytes,
      }),
  );
  const granted = new Map((await raise(tx, deps, low)).map((grant) => [grant.configId, grant]));
  const refused = low.filter((reading) => !granted.has(reading.config_id));
  const lastIds = await decideRefusals(tx, deps, refused);
  const lowIds = new Set(low.map((reading) => reading.config_id));
  return readings.flatMap((reading) => {
    const grant = granted.get(reading.config_id);
    const unheard = reading.sample_version < reading.lease_version;
    if (!grant && !unheard && !lowIds.has(reading.config_id)) return [];
    const limit = grant?.limit ?? reading.lease_shrink_to ?? reading.lease_limit_bytes;
    return [
      {
        config: reading.config_id,
        lease: {
          epoch,
          version: grant?.version ?? reading.lease_version,
          limitBytes: Number(wireLimit(reading.epoch_bytes, limit, reading.billed_bytes)),
        },
        refillDenied: lastIds.has(reading.config_id),
      },
    ];
  });
}

/**
 * Of configs that got nothing, those that get no more until money comes. Without a rate nothing can be sold, but neither
 * is anybody without money who has some: their nodes go on asking. At the end of a lease its owner is told of the cut; who
 * has money in other leases gets it from those that are idle.
 */
async function decideRefusals(tx: Tx, deps: ReportDeps, refused: readonly Reading[]): Promise<Set<string>> {
  if (refused.length === 0) return new Set();
  const price = await usualPrice(tx, deps.exchangeRate);
  const accounts = await findUserAccounts(tx, [...new Set(refused.map((reading) => reading.user_id))]);
  const ended = refused.filter(({ billed_bytes, lease_limit_bytes }) => isUsedUp(billed_bytes, lease_limit_bytes));
  if (price !== undefined)
    await settleEnds(tx, deps, new Set(ended.map((reading) => reading.user_id)), accounts, price);
  const isLast = ({ user_id }: Reading) => price !== undefined || (accounts.get(user_id)?.walletToman ?? 0n) <= 0n;
  return new Set(refused.filter(isLast).map((reading) => reading.config_id));
}

async function settleEnds(
  tx: Tx,
  deps: ReportDeps,
  userIds: ReadonlySet<string>,
  accounts: ReadonlyMap<string, UserAccounts>,
  price: bigint,
): Promise<void> {
  const spent: string[] = [];
  for (const { userId, walletToman, leaseToman } of accounts.values()) {
    if (!userIds.has(userId)) continue;
    if (hasNothingLeft(walletToman + leaseToman, price)) spent.push(userId);
    else await deps.jobs.send(tx, fundsAdded, { userId });
  }
  await deps.notifier.serviceStopped(tx, spent);
}

async function raise(tx: Tx, deps: ReportDeps, low: readonly Reading[]): Promise<Granted[]> {
  if (low.length === 0) return [];
  const meters = await lockMeters(
    tx,
    low.map((reading) => reading.config_id),
  );
  const counts = await countLiveMeters(tx, [...new Set(low.map((reading) => reading.user_id))]);
  return await grantLeases(tx, deps, meters, (userId) => counts.get(userId) ?? 1);
}

function tellPanels(bus: Bus, nodeId: string, changes: readonly TunnelChange[]): void {
  bus.announceSoon(nodeReported, { nodeId });
  for (const { userId, configId, connected } of changes) {
    bus.announceSoon(connectionChanged, { userId, configId, connected });
  }
}

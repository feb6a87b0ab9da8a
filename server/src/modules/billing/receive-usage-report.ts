import { createHash } from 'node:crypto';
import type { UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import type { Bus } from '../../platform/bus.ts';
import { byIndex, type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ServiceStop, stopService } from '../accounts/service.ts';
import { type AnomalyKind, noteAnomaly } from '../fleet/anomalies.ts';
import { acceptEpoch, noteHealth, openLeaseBudget, spendLeaseBudget } from '../fleet/node-state.ts';
import { noteRelayHealth } from '../fleet/relays.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { findUserAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { recordBlockedQueries } from '../metering/blocked-queries.ts';
import { countLiveMeters, lockMeters, lockMetersOfUser, type MeterRow } from '../metering/leases.ts';
import { type Reading, recordReadings } from '../metering/record-readings.ts';
import { medianPing, recordTunnelStatus, type TunnelChange } from '../metering/record-tunnel-status.ts';
import { isPossible } from '../metering/report-rules.ts';
import { decideSequence, wireLimit } from '../metering/rules.ts';
import { connectionChanged, nodeReported } from '../metering/signals.ts';
import { readAgain } from '../metering/trial-leases.ts';
import { usualPrice } from '../pricing/price.ts';
import { recordReach } from '../reach/record-reach.ts';
import { countTrials } from './count-trials.ts';
import { type GrantDeps, type Granted, grantLeases } from './grant-leases.ts';
import { moneyRunsShort } from './jobs.ts';
import { readLeaseSpeeds } from './lease-speeds.ts';
import type { ServiceNotifier } from './notifications.ts';
import { releaseLeases } from './release-leases.ts';
import { hasNothingLeft, hasUsableLease, isCapReached, isLow, isUsedUp, paidLast } from './rules.ts';

export interface ReportDeps extends GrantDeps {
  readonly db: Database;
  readonly bus: Bus;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly notifier: ServiceNotifier;
  /** Called with configs whose removal the node has confirmed, so that their slots can be reused. */
  readonly confirmRemoval: (tx: Tx, configIds: readonly string[]) => Promise<void>;
}

/**
 * Processes one report of a node in one transaction: readings → low balances → released leases → new leases → acknowledgement.
 * Receiving it again returns the same answer and moves nothing. `from` is the node's own address. Refuses
 * `impossible_report`, as a whole.
 */
export async function receiveUsageReport(
  deps: ReportDeps,
  nodeId: string,
  report: UsageReport,
  from?: string,
): Promise<UsageReply> {
  const now = deps.clock.now();
  if (!isPossible(report)) await refuseReport(deps, nodeId, report.seq, now);
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
    const {
      readings: counted,
      billedBytes,
      hasForeign,
    } = await recordReadings(
      tx,
      { nodeId, epoch: report.epoch, seq: report.seq, samples: report.samples, ageMs: report.ageMs },
      now,
    );
    const readings = (await countTrials(tx, counted, now)) ? await readAgain(tx, counted) : counted;
    await deps.notifier.balanceFell(tx, [...new Set(readings.map(({ user_id }) => user_id))]);
    const returned = await applyReleases(tx, deps, readings, now);
    const { leases, isBeyondLink } =
      sequence === 'fork' || report.closing
        ? { leases: [], isBeyondLink: false }
        : await refill(tx, deps, { nodeId, epoch: report.epoch, returned, now }, readings);
    const changes = await recordTunnelStatus(tx, nodeId, report.tunnels, now);
    // These are differences, not totals, so they must be counted only once.
    if (sequence === 'accept') {
      await recordBlockedQueries(tx, nodeId, report.blockedQueries ?? [], now);
      await recordReach(tx, nodeId, report, now);
      await noteRelayHealth(tx, nodeId, report.relays ?? [], now);
    }
    await noteHealth(tx, nodeId, report.health, { pingMs: medianPing(report.tunnels), from }, now);
    const epoch = sequence === 'fork' ? ('mint-epoch' as const) : ('continue' as const);
    const anomalies: AnomalyKind[] = [];
    if (sequence === 'fork') anomalies.push('cloned');
    if (hasForeign) anomalies.push('foreign_configs');
    const isUnknown = readings.some((reading) => reading.is_unknown);
    if (isUnknown) anomalies.push('unknown_leases');
    if (sequence === 'accept' && readings.some((reading) => reading.is_beyond && !reading.is_unknown))
      anomalies.push('beyond_lease');
    if (isBeyondLink && billedBytes > 0n) anomalies.push('beyond_link');
    for (const kind of anomalies) await noteAnomaly(tx, nodeId, kind, now);
    return { reply: { ackSeq: report.seq, epoch, leases }, changes, anomalies };
  });
  for (const kind of anomalies) deps.log.warn({ node: nodeId, seq: report.seq, kind }, messages[kind]);
  signalPanels(deps.bus, nodeId, changes);
  return reply;
}

async function refuseReport({ db, log }: ReportDeps, node: string, seq: number, now: Date): Promise<never> {
  await noteAnomaly(db, node, 'impossible_numbers', now);
  log.warn({ node, seq, kind: 'impossible_numbers' }, messages.impossible_numbers);
  throw new Refusal('impossible_report');
}

const messages: Record<AnomalyKind, string> = {
  cloned: 'a report number came twice with different content: a new epoch is requested',
  foreign_configs: 'a node reported configs of other nodes: ignored',
  beyond_lease: 'a node reported more bytes than its leases allow: not billed',
  unknown_leases:
    'a node has leases that were never granted here: it gets those of here; bytes beyond them are not billed',
  beyond_link: 'a node used up more leases than its link can carry: it gets new ones at the speed of the link',
  impossible_numbers: 'a node reported numbers that nobody can have measured: refused',
  former_machine: 'a machine that was replaced still sends requests: refused',
};

/**
 * Returns money, and bytes of plans, after a node has confirmed a lower limit (by echoing the lease's version) or has sent
 * the last reading of a config. Returns how many bytes of leases came back.
 */
async function applyReleases(tx: Tx, deps: ReportDeps, readings: readonly Reading[], now: Date): Promise<bigint> {
  const final = readings.filter((reading) => reading.final);
  const shrunk = readings.filter(
    (reading) => !reading.final && reading.lease_shrink_to !== null && reading.sample_version === reading.lease_version,
  );
  if (final.length + shrunk.length === 0) return 0n;
  const targets = new Map([
    ...final.map((reading) => [reading.config_id, 0n] as const),
    ...shrunk.map((reading) => [reading.config_id, reading.lease_shrink_to ?? 0n] as const),
  ]);
  const meters = await lockMeters(tx, [...targets.keys()]);
  const returned = await releaseLeases(
    tx,
    meters.map((meter) => ({ meter, limit: targets.get(meter.config_id) ?? meter.lease_limit_bytes })),
    now,
  );
  // Even if no money was returned, because bytes of a plan may have been.
  for (const userId of new Set(meters.map((meter) => meter.user_id))) await deps.jobs.send(tx, fundsAdded, { userId });
  if (final.length > 0)
    await deps.confirmRemoval(
      tx,
      final.map((reading) => reading.config_id),
    );
  return returned;
}

/** Leases for the configs that run low, and those whose raise the node has not acknowledged yet. */
async function refill(
  tx: Tx,
  deps: ReportDeps,
  { nodeId, epoch, returned, now }: { nodeId: string; epoch: string; returned: bigint; now: Date },
  readings: readonly Reading[],
): Promise<{ leases: UsageReply['leases']; isBeyondLink: boolean }> {
  const low = readings.filter((reading) => !reading.final && isLow(reading));
  const budget =
    low.length > 0 || returned > 0n ? { bytes: await openLeaseBudget(tx, nodeId, returned, now) } : undefined;
  const { granted: raised, curtailed } = await raise(tx, deps, low, budget?.bytes);
  const granted = new Map(raised.map((grant) => [grant.configId, grant]));
  await spendLeaseBudget(
    tx,
    nodeId,
    raised.reduce((sum, grant) => sum + grant.raisedBytes, 0n),
  );
  const short = new Set(low.filter(({ config_id: id }) => granted.get(id)?.needsOthers).map(({ user_id: id }) => id));
  for (const userId of short) await deps.jobs.send(tx, moneyRunsShort, { userId });
  // Beyond the node's link no lease is raised and none refused: an honest node that was misjudged goes on at that speed.
  const refused = low.filter(({ config_id: id }) => !granted.has(id) && !curtailed.has(id));
  const deniedIds = await decideRefusals(tx, deps, refused);
  const lowIds = new Set(low.map((reading) => reading.config_id));
  const due = readings.flatMap((reading) => {
    const grant = granted.get(reading.config_id);
    const isUnacknowledged = reading.sample_version < reading.lease_version;
    if (!grant && !isUnacknowledged && !lowIds.has(reading.config_id)) return [];
    const limit = grant?.limit ?? reading.lease_shrink_to ?? reading.lease_limit_bytes;
    const billed = grant?.billed ?? reading.billed_bytes;
    const version = grant?.version ?? reading.lease_version;
    const lease = { epoch, version, limitBytes: Number(wireLimit(reading.epoch_bytes, limit, billed)) };
    return [{ config: reading.config_id, lease, refillDenied: deniedIds.has(reading.config_id) }];
  });
  const speeds = await readLeaseSpeeds(
    tx,
    due.map(({ config }) => config),
  );
  const leases = due.map((reply) => ({ ...reply, lease: { ...reply.lease, ...speeds.get(reply.config) } }));
  return { leases, isBeyondLink: curtailed.size > 0 };
}

/**
 * Of the configs that got nothing, those that get no more until money arrives. While there is no exchange rate nothing can
 * be sold, but a user with money in the wallet is not out of money, so the node keeps asking. When a lease is used up and
 * the user has nothing left, the user is notified; money in other leases is reclaimed from idle ones.
 */
async function decideRefusals(tx: Tx, deps: ReportDeps, refused: readonly Reading[]): Promise<Set<string>> {
  if (refused.length === 0) return new Set();
  const price = await usualPrice(tx, deps.exchangeRate, deps.clock.now());
  const accounts = await findUserAccounts(tx, [...new Set(refused.map((reading) => reading.user_id))]);
  // What a monthly cap has ended, no money brings back, and it says nothing about the money.
  const isCapped = ({ cap_left }: Reading) => isCapReached(cap_left);
  const ended = refused.filter(
    (reading) => isUsedUp(reading.billed_bytes, reading.lease_limit_bytes) && !isCapped(reading),
  );
  if (price !== undefined)
    await settleEnds(tx, deps, new Set(ended.map((reading) => reading.user_id)), accounts, price);
  const isDenied = (reading: Reading) =>
    isCapped(reading) || price !== undefined || (accounts.get(reading.user_id)?.walletToman ?? 0n) <= 0n;
  return new Set(refused.filter(isDenied).map((reading) => reading.config_id));
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
  const stops: { userId: string; cause: ServiceStop['cause'] }[] = [];
  for (const userId of spent) {
    // The readings may be older than a lease that was raised meanwhile; and a plan may go on for another config.
    const meters = await lockMetersOfUser(tx, userId);
    if (!meters.some(hasUsableLease)) stops.push({ userId, cause: causeOf(meters) });
  }
  await stopService(tx, deps.bus, stops, deps.clock.now());
  await deps.notifier.serviceStopped(tx, stops);
}

/** What had paid for the last bytes of the config that was used last. */
function causeOf(meters: readonly MeterRow[]): ServiceStop['cause'] {
  const used = meters.toSorted((a, b) => (b.last_used_at?.getTime() ?? 0) - (a.last_used_at?.getTime() ?? 0))[0];
  return used ? paidLast(used) : 'money';
}

async function raise(
  tx: Tx,
  deps: ReportDeps,
  low: readonly Reading[],
  budgetBytes: bigint | undefined,
): Promise<{ granted: Granted[]; curtailed: ReadonlySet<string> }> {
  if (low.length === 0) return { granted: [], curtailed: new Set() };
  const meters = await lockMeters(
    tx,
    low.map((reading) => reading.config_id),
  );
  const counts = await countLiveMeters(tx, [...new Set(low.map((reading) => reading.user_id))]);
  const curtailed = new Set<string>();
  const granted = await grantLeases(tx, deps, meters, {
    siblings: (userId) => counts.get(userId) ?? 1,
    report: { budgetBytes: budgetBytes ?? 0n, curtailed },
  });
  return { granted, curtailed };
}

function signalPanels(bus: Bus, nodeId: string, changes: readonly TunnelChange[]): void {
  bus.announceSoon(nodeReported, { nodeId });
  for (const { userId, configId, connected } of changes) {
    bus.announceSoon(connectionChanged, { userId, configId, connected });
  }
}

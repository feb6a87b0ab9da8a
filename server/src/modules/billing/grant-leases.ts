import { limits } from '@raha/contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { trialBytesLeft } from '../accounts/trial.ts';
import { getUsers, isInTrial } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { reserveMoney } from '../ledger/reserve-money.ts';
import { lockAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import {
  billUnpaid,
  insertSegments,
  type LeaseUpdate,
  type LiveMeter,
  listLiveMeters,
  lockMeters,
  type MeterRow,
  toggleShort,
  updateLeases,
} from '../metering/leases.ts';
import { usualPrice } from '../pricing/price.ts';
import { type Allowance, drawAllowances, isGiving, lockAllowances, waitForPeriod } from '../subscriptions/allowance.ts';
import { countTrials } from './count-trials.ts';
import {
  allowedAhead,
  coveredBy,
  decideFree,
  decideGrant,
  type Grant,
  isHeldElsewhere,
  type LeaseState,
  renewalAt,
  shareOfPlan,
  wantedAhead,
} from './rules.ts';

export interface GrantDeps {
  readonly clock: Clock;
  readonly exchangeRate: ExchangeRateSource;
}

/** A meter whose lease was raised. */
export interface Granted {
  readonly configId: string;
  readonly nodeId: string;
  readonly version: number;
  readonly limit: bigint;
  readonly billed: bigint;
  /** By how much more may pass than before. */
  readonly raisedBytes: bigint;
  /** The wallet bought less than wanted, and other leases of the user hold money. */
  readonly needsOthers: boolean;
}

export interface GrantOptions {
  /** How many live configs a user has. */
  readonly siblings: (userId: string) => number;
  /** The grants answer a report: together they are no more than the budget of the node; `curtailed` gets those that it cut short. */
  readonly report?: { readonly budgetBytes: bigint; readonly curtailed: Set<string> };
  /** Whose lease is raised to all that it should have, or not at all: what is scarce is left to those who need it. */
  readonly isAllOrNothing?: (meter: MeterRow) => boolean;
}

/**
 * Raises the leases of locked meters as far as their owners' trials, plans and wallets allow, and reserves the money in the same
 * transaction. The trial pays first, then a plan, for the configs that it covers; then the wallet pays.
 * Bytes that passed under a recalled lease are paid before anything else. What is open after that is never more than a monthly cap
 * still lets pass. A raise cancels a pending reduction. Earlier meters of the list come first where money is short.
 */
export async function grantLeases(
  tx: Tx,
  deps: GrantDeps,
  meters: readonly MeterRow[],
  options: GrantOptions,
): Promise<Granted[]> {
  const live = meters.filter((meter) => !meter.final || meter.unpaid_bytes > 0n);
  if (live.length === 0) return [];
  const now = deps.clock.now();
  const userIds = [...new Set(live.map((meter) => meter.user_id))].sort();
  const accounts = await lockAccounts(tx, userIds);
  const sources = await lockFundingSources(tx, deps, accounts, now);
  const raised = decideRaises(live, sources, options);
  await insertSegments(
    tx,
    raised.flatMap(({ meter, grants }) =>
      grants.flatMap(({ closed }) => (closed ? [{ configId: meter.config_id, ...closed }] : [])),
    ),
  );
  await updateLeases(
    tx,
    raised.map(({ meter, last, trialBytes }) => ({
      ...toUpdate(meter, last),
      isShort: !options.report?.curtailed.has(meter.config_id) && isShort(meter, last.limit, options),
      ...(trialBytes && { trialBytes }),
    })),
  );
  const raisedIds = new Set(raised.map(idOf));
  const left = live.filter(({ config_id: id }) => !raisedIds.has(id) && !options.report?.curtailed.has(id));
  await toggleShort(
    tx,
    left
      .filter((meter) => meter.lease_short !== isShort(meter, meter.lease_limit_bytes, options))
      .map((meter) => meter.config_id),
  );
  const paying = raised.filter(({ meter }) => meter.unpaid_bytes > 0n);
  const billed = paying.length > 0 ? await billUnpaid(tx, paying.map(idOf)) : [];
  for (const [userId, { drawn }] of sources) if (drawn.size > 0) await drawAllowances(tx, userId, drawn, now);
  await reserveMoney(tx, new Map([...sources].map(([userId, source]) => [userId, source.reserved])));
  const cut = (await countTrials(tx, billed, now)) ? await lockMeters(tx, paying.map(idOf)) : [];
  const afterCut = new Map(cut.map((meter) => [meter.config_id, meter]));
  return raised.map(({ meter, last }) => ({
    configId: meter.config_id,
    nodeId: meter.node_id,
    version: afterCut.get(meter.config_id)?.lease_version ?? meter.lease_version + 1,
    limit: afterCut.get(meter.config_id)?.lease_limit_bytes ?? last.limit,
    billed: afterCut.get(meter.config_id)?.billed_bytes ?? meter.billed_bytes + paidOf(meter, last),
    raisedBytes: last.limit - meter.lease_limit_bytes,
    needsOthers: needsOthers(meter, last, accounts.get(meter.user_id), sources.get(meter.user_id)),
  }));
}

interface Raise {
  readonly meter: MeterRow;
  readonly grants: readonly Grant[];
  readonly last: Grant;
  readonly trialBytes?: bigint | undefined;
}

function decideRaises(
  meters: readonly MeterRow[],
  sources: ReadonlyMap<string, FundingSources>,
  { siblings, report, isAllOrNothing }: GrantOptions,
): Raise[] {
  let budget = report?.budgetBytes;
  return meters.flatMap((meter): Raise[] => {
    const source = sources.get(meter.user_id);
    if (!source) return [];
    const undo = remember(source);
    const ahead = meter.final ? 0n : aheadOf(meter, report !== undefined);
    const open = meter.lease_limit_bytes - meter.billed_bytes - meter.unpaid_bytes;
    const isCurtailed = budget !== undefined && ahead - open > budget;
    if (isCurtailed) report?.curtailed.add(meter.config_id);
    const offered = isCurtailed ? open + (budget ?? 0n) : ahead;
    const { grants, trialBytes } = grantsFor(meter, source, offered, siblings(meter.user_id) > 1);
    const last = grants.at(-1);
    if (!last) return [];
    const isPartial = last.limit - meter.billed_bytes - meter.unpaid_bytes < ahead;
    if (isPartial && isAllOrNothing?.(meter)) {
      undo();
      return [];
    }
    if (budget !== undefined) budget -= last.limit - meter.lease_limit_bytes;
    return [{ meter, grants, last, trialBytes }];
  });
}

/** Outside of reports nothing is held against what the node's link carries, so a lease gets less there. */
function aheadOf(meter: MeterRow, isReported: boolean): bigint {
  const allowed = allowedAhead(meter);
  const most = BigInt(limits.lease.maxUnreportedBytes);
  return isReported || allowed < most ? allowed : most;
}

/** Whether a lease with this limit is due for renewal although it was just looked at: its owner's money is short. */
function isShort(meter: MeterRow, limit: bigint, { report }: GrantOptions): boolean {
  const wanted = wantedAhead(meter.lease_rate);
  const most = BigInt(limits.lease.maxUnreportedBytes);
  return limit - meter.billed_bytes - meter.unpaid_bytes < renewalAt(report || wanted < most ? wanted : most);
}

function idOf({ meter }: { readonly meter: MeterRow }): string {
  return meter.config_id;
}

function needsOthers(meter: MeterRow, { limit }: Grant, owned?: UserAccounts, source?: FundingSources): boolean {
  if (!owned || source?.price === undefined || source.freeBytes > 0n) return false;
  if (source.usedUp) return true;
  const billed = meter.billed_bytes + meter.unpaid_bytes;
  if (limit - billed >= renewalAt(allowedAhead(meter))) return false;
  return isHeldElsewhere({ billed, limit }, owned.leaseToman + source.reserved, source.price);
}

/** Of the bytes that wait for money, those that a grant pays. They follow what is billed, so nothing else can be open. */
function paidOf(meter: MeterRow, { limit }: Grant): bigint {
  const open = limit - meter.billed_bytes;
  return meter.unpaid_bytes < open ? meter.unpaid_bytes : open;
}

/** What can fund a user's leases now; grants are subtracted from it. */
interface FundingSources {
  /** Of the running period and the following one, which begins, and is drawn from, once the first is used up. */
  readonly allowances: readonly Allowance[];
  /** The user's configs, of which a period covers some; empty without a period. */
  readonly live: readonly LiveMeter[];
  /** Bytes taken from each period. */
  readonly drawn: Map<string, bigint>;
  /** Of usage that no plan covers; undefined while there is no exchange rate. */
  readonly price: bigint | undefined;
  walletToman: bigint;
  reserved: bigint;
  /** What is left of a running trial: it pays before everything else. */
  readonly freeBytes: bigint;
  /** A plan begins when the trial ends, and the wallet is spared until then. */
  readonly isWaiting: boolean;
  /** A grant took the last bytes of a plan: leases of other configs may hold more of it. */
  usedUp: boolean;
}

/** What a grant takes from a source is put back by what this returns. */
function remember(source: FundingSources): () => void {
  const { walletToman, reserved, usedUp } = source;
  const drawn = [...source.drawn];
  return () => {
    Object.assign(source, { walletToman, reserved, usedUp });
    source.drawn.clear();
    for (const [id, bytes] of drawn) source.drawn.set(id, bytes);
  };
}

async function lockFundingSources(
  tx: Tx,
  deps: GrantDeps,
  accounts: ReadonlyMap<string, UserAccounts>,
  now: Date,
): Promise<Map<string, FundingSources>> {
  const userIds = [...accounts.keys()];
  const users = await getUsers(tx, userIds);
  const usual = await usualPrice(tx, deps.exchangeRate, now);
  const all = await lockAllowances(tx, userIds, now);
  const inTrial = [...users.values()].filter((user) => isInTrial(user, now)).map(({ id }) => id);
  const free = inTrial.length > 0 ? await trialBytesLeft(tx, inTrial) : new Map<string, bigint>();
  const waiting = inTrial.length > 0 ? await waitForPeriod(tx, inTrial, now) : new Set<string>();
  const sources = new Map<string, FundingSources>();
  for (const [userId, { walletToman }] of accounts) {
    const user = users.get(userId);
    if (!user) continue;
    const freeBytes = free.get(userId) ?? 0n;
    const allowances = (all.get(userId) ?? []).filter(isGiving);
    const live = allowances.length > 0 ? await listLiveMeters(tx, userId) : [];
    sources.set(userId, {
      allowances,
      live,
      drawn: new Map(),
      price: usual,
      walletToman,
      reserved: 0n,
      freeBytes,
      isWaiting: waiting.has(userId),
      usedUp: false,
    });
  }
  return sources;
}

interface Grants {
  readonly grants: readonly Grant[];
  /** Where the bytes that the trial pays for end, if it pays for more. */
  readonly trialBytes?: bigint;
}

/** Grants from the trial first, then from the plan, then from the wallet; each source gets a segment of its own. */
function grantsFor(meter: MeterRow, source: FundingSources, open: bigint, shared: boolean): Grants {
  let state: LeaseState = {
    billed: meter.billed_bytes,
    limit: meter.lease_limit_bytes,
    segmentStart: meter.segment_start,
    segmentPrice: meter.segment_price,
    segmentSubscriptionId: meter.segment_subscription_id,
  };
  const ahead = meter.unpaid_bytes + open;
  const grants: Grant[] = [];
  const take = (grant: Grant | undefined) => {
    if (!grant) return;
    state = { ...state, ...grant };
    grants.push(grant);
  };
  let trialBytes: bigint | undefined;
  if (source.freeBytes > 0n) {
    const hasMoney = source.price !== undefined && source.walletToman > 0n && !source.isWaiting;
    const canPay = hasMoney || source.allowances.length > 0;
    const { openBytes, isRest } = decideFree(meter, source.freeBytes, { shared, canPay });
    const offer = { walletToman: 0n, priceMilliToman: 0n, ahead, shared };
    const grant = decideGrant(state, { ...offer, subscription: { id: null, leftBytes: openBytes } });
    take(grant);
    trialBytes = grant?.limit;
    const isAll = (grant?.grantBytes ?? 0n) === openBytes;
    if (!canPay || !isRest || !isAll) return { grants, ...(trialBytes && { trialBytes }) };
  }
  for (const { periodId: id, leftBytes, maxDevices } of source.allowances) {
    if (coveredBy(source.live, maxDevices).has(meter.config_id)) {
      const drawn = source.drawn.get(id) ?? 0n;
      const left = leftBytes === undefined ? undefined : leftBytes - drawn;
      const subscription = { id, leftBytes: shareOfPlan(left, shared) };
      const grant = decideGrant(state, { walletToman: 0n, priceMilliToman: 0n, ahead, shared, subscription });
      take(grant);
      if (grant) source.drawn.set(id, drawn + grant.grantBytes);
      // The other half is for the other configs, before the wallet pays for any of them.
      if (left !== subscription.leftBytes) return { grants, ...(trialBytes && { trialBytes }) };
      if (grant && grant.grantBytes === left && shared) source.usedUp = true;
    }
    if (leftBytes !== (source.drawn.get(id) ?? 0n)) break;
  }
  if (source.price !== undefined) {
    const paid = decideGrant(state, { walletToman: source.walletToman, priceMilliToman: source.price, ahead, shared });
    take(paid);
    source.walletToman -= paid?.costToman ?? 0n;
    source.reserved += paid?.costToman ?? 0n;
  }
  return { grants, ...(trialBytes && { trialBytes }) };
}

function toUpdate(meter: MeterRow, grant: Grant): LeaseUpdate {
  return {
    configId: meter.config_id,
    version: meter.lease_version + 1,
    limit: grant.limit,
    shrinkTo: null,
    grantBytes: grant.limit - meter.lease_limit_bytes - paidOf(meter, grant),
    segmentStart: grant.segmentStart,
    segmentPrice: grant.segmentPrice,
    segmentSubscriptionId: grant.segmentSubscriptionId,
  };
}

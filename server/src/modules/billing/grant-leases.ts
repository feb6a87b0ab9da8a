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
  /** The wallet bought less than wanted, and other leases of the user hold money. */
  readonly needsOthers: boolean;
}

/**
 * Raises the leases of locked meters as far as their owners' trials, plans and wallets allow, and reserves the money in the same
 * transaction. The trial pays first, then a plan, for the configs that it covers; then the wallet pays.
 * Bytes that passed under a recalled lease are paid before anything else. What is open after that is never more than a monthly cap
 * still lets pass. A raise cancels a pending reduction. `siblings` returns how many live configs a user has.
 */
export async function grantLeases(
  tx: Tx,
  deps: GrantDeps,
  meters: readonly MeterRow[],
  siblings: (userId: string) => number,
): Promise<Granted[]> {
  const live = meters.filter((meter) => !meter.final || meter.unpaid_bytes > 0n);
  if (live.length === 0) return [];
  const now = deps.clock.now();
  const userIds = [...new Set(live.map((meter) => meter.user_id))].sort();
  const accounts = await lockAccounts(tx, userIds);
  const sources = await lockFundingSources(tx, deps, accounts, now);
  const raised = live.flatMap((meter) => {
    const source = sources.get(meter.user_id);
    const { grants, trialBytes } = grantsFor(meter, source, siblings(meter.user_id) > 1);
    const last = grants.at(-1);
    return last ? [{ meter, grants, last, trialBytes }] : [];
  });
  await insertSegments(
    tx,
    raised.flatMap(({ meter, grants }) =>
      grants.flatMap(({ closed }) => (closed ? [{ configId: meter.config_id, ...closed }] : [])),
    ),
  );
  await updateLeases(
    tx,
    raised.map(({ meter, last, trialBytes }) => ({ ...toUpdate(meter, last), ...(trialBytes && { trialBytes }) })),
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
    needsOthers: needsOthers(meter, last, accounts.get(meter.user_id), sources.get(meter.user_id)),
  }));
}

function idOf({ meter }: { readonly meter: MeterRow }): string {
  return meter.config_id;
}

function needsOthers(meter: MeterRow, { limit }: Grant, owned?: UserAccounts, source?: FundingSources): boolean {
  if (!owned || source?.price === undefined || source.freeBytes > 0n) return false;
  const billed = meter.billed_bytes + meter.unpaid_bytes;
  if (limit - billed >= allowedAhead(meter)) return false;
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
}

async function lockFundingSources(
  tx: Tx,
  deps: GrantDeps,
  accounts: ReadonlyMap<string, UserAccounts>,
  now: Date,
): Promise<Map<string, FundingSources>> {
  const userIds = [...accounts.keys()];
  const users = await getUsers(tx, userIds);
  const usual = await usualPrice(tx, deps.exchangeRate);
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
function grantsFor(meter: MeterRow, source: FundingSources | undefined, shared: boolean): Grants {
  if (!source) return { grants: [] };
  let state: LeaseState = {
    billed: meter.billed_bytes,
    limit: meter.lease_limit_bytes,
    segmentStart: meter.segment_start,
    segmentPrice: meter.segment_price,
    segmentSubscriptionId: meter.segment_subscription_id,
  };
  const ahead = meter.unpaid_bytes + (meter.final ? 0n : allowedAhead(meter));
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
      const subscription = { id, leftBytes: leftBytes === undefined ? undefined : leftBytes - drawn };
      const grant = decideGrant(state, { walletToman: 0n, priceMilliToman: 0n, ahead, shared, subscription });
      take(grant);
      if (grant) source.drawn.set(id, drawn + grant.grantBytes);
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

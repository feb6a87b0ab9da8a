import { limits } from '@raha/contract/limits.ts';
import { affordableBytes, chargeToman } from '@raha/contract/money.ts';

const { lease } = limits;
const IDLE = BigInt(lease.idleBytes);
const MIN = BigInt(lease.minBytes);
const MAX = BigInt(lease.maxBytes);
const REACH = BigInt(lease.exhaustedBelowBytes);

/** A lease as it stands, on the scale of a config's billed bytes. */
export interface LeaseState {
  readonly billed: bigint;
  readonly limit: bigint;
  readonly segmentStart: bigint;
  readonly segmentPrice: bigint;
  /** The subscription that pays for the last segment, if one does. */
  readonly segmentSubscriptionId?: string | null;
}

export interface Grant {
  readonly limit: bigint;
  readonly grantBytes: bigint;
  /** Toman to reserve for it. */
  readonly costToman: bigint;
  readonly segmentStart: bigint;
  readonly segmentPrice: bigint;
  readonly segmentSubscriptionId: string | null;
  /** The segment that this grant closes because the price or the source has changed, if any. */
  readonly closed: ClosedSegment | undefined;
}

export interface ClosedSegment {
  readonly start: bigint;
  readonly end: bigint;
  readonly price: bigint;
  readonly subscriptionId: string | null;
}

/** How many unused bytes a lease should have: a minute at the config's current throughput, within bounds. */
export function wantedAhead(rateBitsPerSecond: bigint): bigint {
  const wanted = (rateBitsPerSecond / 8n) * BigInt(lease.horizonSeconds);
  return wanted < IDLE ? IDLE : wanted > MAX ? MAX : wanted;
}

/** How many unused bytes a lease should have: `wantedAhead`, and never more than a monthly cap still lets pass. */
export function allowedAhead(meter: { readonly rate: bigint; readonly cap_left: bigint | null }): bigint {
  const wanted = wantedAhead(meter.rate);
  return meter.cap_left !== null && meter.cap_left < wanted ? meter.cap_left : wanted;
}

/** Whether a monthly cap lets no more traffic pass; as of a lease, the rest is less than the largest packet. */
export function isCapReached(capLeft: bigint | null): boolean {
  return capLeft !== null && capLeft < REACH;
}

/** Whether a lease holds all that a monthly cap still lets pass, so that money would not raise it. */
export function isHeldByCap(meter: {
  readonly cap_left: bigint | null;
  readonly lease_limit_bytes: bigint;
  readonly billed_bytes: bigint;
}): boolean {
  return meter.cap_left !== null && meter.lease_limit_bytes - meter.billed_bytes >= meter.cap_left;
}

/**
 * The limit to which a lease is lowered that reaches beyond a monthly cap; undefined if it does not, or if it is being lowered so
 * far already. Bytes that wait for money have passed, and are not open any more.
 */
export function capTarget(meter: {
  readonly cap_left: bigint | null;
  readonly billed_bytes: bigint;
  readonly unpaid_bytes: bigint;
  readonly lease_limit_bytes: bigint;
  readonly lease_shrink_to: bigint | null;
}): bigint | undefined {
  if (meter.cap_left === null) return undefined;
  const target = meter.billed_bytes + meter.unpaid_bytes + meter.cap_left;
  return target < (meter.lease_shrink_to ?? meter.lease_limit_bytes) ? target : undefined;
}

/** Whether a lease is low: less than half of the last grant is left. */
export function needsRefill(state: { billed: bigint; limit: bigint; grantBytes: bigint }): boolean {
  const left = state.limit - state.billed;
  return left < REACH || left * 100n < state.grantBytes * BigInt(Math.round(lease.refillBelow * 100));
}

/** Whether no more traffic can pass: what is left is less than the largest packet that the kernel handles. */
export function isUsedUp(billed: bigint, limit: bigint): boolean {
  return limit - billed < REACH;
}

/** Whether all of a user's money, including what is reserved in leases, buys less than half an idle lease at this price. */
export function hasNothingLeft(balanceToman: bigint, priceMilliToman: bigint): boolean {
  return balanceToman < chargeToman(IDLE / 2n, priceMilliToman);
}

/** Whether a lease still lets through what a device needs: the bytes for which money would not be called nothing. */
export function hasUsableLease(lease: { readonly lease_limit_bytes: bigint; readonly billed_bytes: bigint }): boolean {
  return lease.lease_limit_bytes - lease.billed_bytes >= IDLE / 2n;
}

/** What paid for the last bytes of a lease: a plan, the trial, or else money. */
export function paidLast(lease: {
  readonly segment_subscription_id: string | null;
  readonly trial_bytes: bigint;
  readonly lease_limit_bytes: bigint;
}): 'money' | 'plan' | 'trial' {
  if (lease.segment_subscription_id !== null) return 'plan';
  return lease.trial_bytes > 0n && lease.trial_bytes >= lease.lease_limit_bytes ? 'trial' : 'money';
}

/** Whether a user's other leases hold more than a device needs that wakes up; `leaseToman` is in all leases together. */
export function isHeldElsewhere(
  lease: { billed: bigint; limit: bigint },
  leaseToman: bigint,
  priceMilliToman: bigint,
): boolean {
  return leaseToman > chargeToman(lease.limit - lease.billed + 2n * MIN, priceMilliToman);
}

/**
 * The next grant for a config, or undefined if no byte can be paid for. The granted bytes keep the current price. One of
 * several configs of a user gets at most half of the free money at a time, so that none starves; if half of it would buy
 * too little, it gets all of it.
 */
export function decideGrant(
  state: LeaseState,
  offer: {
    readonly walletToman: bigint;
    readonly priceMilliToman: bigint;
    readonly ahead: bigint;
    readonly shared: boolean;
    /**
     * The subscription that pays (null: the trial), and its remaining bytes (undefined: unlimited); absent if the wallet
     * pays.
     */
    readonly subscription?: { readonly id: string | null; readonly leftBytes: bigint | undefined };
  },
): Grant | undefined {
  const wanted = offer.ahead - (state.limit - state.billed);
  if (wanted <= 0n) return undefined;
  // Rounding down makes the bytes of a fraction of a toman free; an empty wallet must not get them.
  if (offer.walletToman <= 0n && offer.priceMilliToman > 0n) return undefined;
  const subscriptionId = offer.subscription?.id ?? null;
  const isSame =
    offer.priceMilliToman === state.segmentPrice && subscriptionId === (state.segmentSubscriptionId ?? null);
  const start = isSame ? state.segmentStart : state.limit;
  const paid = chargeToman(state.limit - start, offer.priceMilliToman);
  const reach = (toman: bigint) => {
    const bytes = affordableBytes(toman + paid, offer.priceMilliToman);
    return bytes === undefined ? wanted : bytes + start - state.limit;
  };
  const half = reach(offer.walletToman / 2n);
  const cap = offer.shared && half >= MIN ? half : reach(offer.walletToman);
  const paidFor = wanted < cap ? wanted : cap;
  const left = offer.subscription?.leftBytes;
  const bytes = left !== undefined && left < paidFor ? left : paidFor;
  if (bytes <= 0n) return undefined;
  const limit = state.limit + bytes;
  const closes = !isSame && state.limit > state.segmentStart;
  return {
    limit,
    grantBytes: bytes,
    costToman: chargeToman(limit - start, offer.priceMilliToman) - paid,
    segmentStart: start,
    segmentPrice: offer.priceMilliToman,
    segmentSubscriptionId: subscriptionId,
    closed: closes
      ? {
          start: state.segmentStart,
          end: state.limit,
          price: state.segmentPrice,
          subscriptionId: state.segmentSubscriptionId ?? null,
        }
      : undefined,
  };
}

/**
 * How many more bytes a trial with `freeBytes` left gives to a lease, and whether that is the rest of it, so that another
 * source may follow in the same lease. What other leases hold is not deducted: reports decide to the byte what was free
 * (`countTrials`). One of several configs gets half of the rest at a time, so that little is given out twice. With nothing to follow,
 * the lease stays long enough for a packet, or the last bytes could never be used.
 */
export function decideFree(
  meter: { readonly trial_bytes: bigint; readonly billed_bytes: bigint; readonly lease_limit_bytes: bigint },
  freeBytes: bigint,
  { shared, canPay }: { readonly shared: boolean; readonly canPay: boolean },
): { openBytes: bigint; isRest: boolean } {
  // The lease goes on beyond the trial's bytes: it was given all of the rest.
  if (meter.trial_bytes < meter.lease_limit_bytes) return { openBytes: 0n, isRest: true };
  const held = meter.trial_bytes > meter.billed_bytes ? meter.trial_bytes - meter.billed_bytes : 0n;
  if (shared && freeBytes / 2n >= MIN) return { openBytes: atLeast0(freeBytes / 2n - held), isRest: false };
  const wanted = canPay || freeBytes > 2n * REACH ? freeBytes : 2n * REACH;
  return { openBytes: atLeast0(wanted - held), isRest: true };
}

function atLeast0(bytes: bigint): bigint {
  return bytes > 0n ? bytes : 0n;
}

/**
 * Which of a user's live configs (oldest first) a plan covers: the oldest, as many as its devices. A config that is being
 * replaced is covered in addition, because it belongs to the same device as its replacement.
 */
export function coveredBy(
  live: readonly { readonly config_id: string; readonly is_replaced: boolean }[],
  maxDevices: number,
): ReadonlySet<string> {
  const counted = live.filter(({ is_replaced }) => !is_replaced).slice(0, maxDevices);
  return new Set([...live.filter(({ is_replaced }) => is_replaced), ...counted].map((meter) => meter.config_id));
}

/**
 * The limit to which an idle config's lease is lowered: the idle amount, or, if another config of the user has nothing
 * left, the smallest amount on which a device that becomes active again can still request more.
 */
export function shrinkTarget(state: { billed: bigint; limit: bigint }, isNeeded: boolean): bigint {
  const target = state.billed + (isNeeded ? MIN : IDLE);
  return target < state.limit ? target : state.limit;
}

/** Whether a config is out of money: its lease is used up and the wallet buys no more. */
export function isSpent(state: LeaseState, walletToman: bigint, priceMilliToman: bigint): boolean {
  if (!isUsedUp(state.billed, state.limit)) return false;
  const more = decideGrant(state, { walletToman, priceMilliToman, ahead: IDLE, shared: false });
  return more === undefined || more.grantBytes < REACH;
}

import { limits } from '@raha/contract/limits.ts';
import { affordableBytes, chargeToman } from '@raha/contract/money.ts';

const { lease } = limits;
const IDLE = BigInt(lease.idleBytes);
const MIN = BigInt(lease.minBytes);
const MAX = BigInt(lease.maxBytes);
const USABLE = BigInt(lease.usableBytes);
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

/** How many unused bytes a lease should have at this rate, in bytes per second: those of the horizon, within bounds. */
export function wantedAhead(rate: bigint): bigint {
  return within(IDLE, rate * BigInt(lease.horizonSeconds), MAX);
}

/** A lease that should have `ahead` unused bytes is renewed when it has fewer than this: half an hour, at least 200 MB. */
export function renewalAt(ahead: bigint): bigint {
  return (ahead * BigInt(lease.renewalSeconds)) / BigInt(lease.horizonSeconds);
}

/** How many unused bytes a device in use needs for the time in which money can be called back from other leases. */
export function neededSoon(rate: bigint): bigint {
  return within(BigInt(lease.sharedBytes), rate * BigInt(lease.sharedSeconds), MAX);
}

function within(least: bigint, bytes: bigint, most: bigint): bigint {
  return bytes < least ? least : bytes > most ? most : bytes;
}

/** How many unused bytes a lease should have: `wantedAhead`, and never more than a monthly cap still lets pass. */
export function allowedAhead(meter: { readonly lease_rate: bigint; readonly cap_left: bigint | null }): bigint {
  const wanted = wantedAhead(meter.lease_rate);
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

/**
 * Whether a lease is low: it is due for renewal at the config's rate. A lease that is short, because money or a cap gave less than
 * that the last time, is low again when less than half of the last grant is left.
 */
export function needsRefill(state: {
  billed: bigint;
  limit: bigint;
  grantBytes: bigint;
  rate: bigint;
  isShort: boolean;
}): boolean {
  const left = state.limit - state.billed;
  if (!state.isShort) return left < renewalAt(wantedAhead(state.rate));
  return left < REACH || left * 100n < state.grantBytes * BigInt(Math.round(lease.refillBelow * 100));
}

/** `needsRefill` of a meter. */
export function isLow(meter: {
  readonly billed_bytes: bigint;
  readonly lease_limit_bytes: bigint;
  readonly lease_grant_bytes: bigint;
  readonly lease_rate: bigint;
  readonly lease_short: boolean;
}): boolean {
  return needsRefill({
    billed: meter.billed_bytes,
    limit: meter.lease_limit_bytes,
    grantBytes: meter.lease_grant_bytes,
    rate: meter.lease_rate,
    isShort: meter.lease_short,
  });
}

/** Whether no more traffic can pass: what is left is less than the largest packet that the kernel handles. */
export function isUsedUp(billed: bigint, limit: bigint): boolean {
  return limit - billed < REACH;
}

/** Whether all of a user's money, including what is reserved in leases, buys less than is of use at this price. */
export function hasNothingLeft(balanceToman: bigint, priceMilliToman: bigint): boolean {
  return balanceToman < chargeToman(USABLE, priceMilliToman);
}

/** Whether a lease still lets through what a device needs: the bytes for which money would not be called nothing. */
export function hasUsableLease(lease: { readonly lease_limit_bytes: bigint; readonly billed_bytes: bigint }): boolean {
  return lease.lease_limit_bytes - lease.billed_bytes >= USABLE;
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
     * The subscription that pays (null: the trial), and the bytes that it gives (undefined: unlimited); absent if the wallet
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

/** Of what is left of a plan (undefined: unlimited), what one of several configs gets at a time: half, as long as that is something. */
export function shareOfPlan(leftBytes: bigint | undefined, shared: boolean): bigint | undefined {
  if (leftBytes === undefined || !shared || leftBytes / 2n < MIN) return leftBytes;
  return leftBytes / 2n;
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
 * The limit to which an idle config's lease is lowered: the idle amount, or, if another config of the user needs the money,
 * the smallest amount on which a device that becomes active again can still request more.
 */
export function shrinkTarget(state: { billed: bigint; limit: bigint }, isNeeded: boolean): bigint {
  const target = state.billed + (isNeeded ? MIN : IDLE);
  return target < state.limit ? target : state.limit;
}

/**
 * The limit to which the lease of a config in use is lowered when another one of its owner has next to nothing left: what it needs
 * soon, and at most half of what it has, so that both go on until the money is used up.
 */
export function shareTarget(state: { billed: bigint; limit: bigint; rate: bigint }): bigint {
  const half = (state.limit - state.billed) / 2n;
  const soon = neededSoon(state.rate);
  const target = state.billed + (half < MIN ? MIN : half < soon ? half : soon);
  return target < state.limit ? target : state.limit;
}

/** Whether a config is out of money: its lease is used up and the wallet buys no more. */
export function isSpent(state: LeaseState, walletToman: bigint, priceMilliToman: bigint): boolean {
  if (!isUsedUp(state.billed, state.limit)) return false;
  const more = decideGrant(state, { walletToman, priceMilliToman, ahead: 2n * USABLE, shared: false });
  return more === undefined || more.grantBytes < REACH;
}

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
  /** The subscription that gives the bytes of the last segment, if one does. */
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

/** How many bytes a config should have ahead of it: a minute at its present rate, within bounds. */
export function wantedAhead(rateBitsPerSecond: bigint): bigint {
  const wanted = (rateBitsPerSecond / 8n) * BigInt(lease.horizonSeconds);
  return wanted < IDLE ? IDLE : wanted > MAX ? MAX : wanted;
}

/** Whether a lease is low enough to grant more: less than half of the last grant is left. */
export function needsRefill(state: { billed: bigint; limit: bigint; grantBytes: bigint }): boolean {
  const left = state.limit - state.billed;
  return left < REACH || left * 100n < state.grantBytes * BigInt(Math.round(lease.refillBelow * 100));
}

/** Whether nothing more passes: what is left is less than one packet of the kernel's. */
export function isUsedUp(billed: bigint, limit: bigint): boolean {
  return limit - billed < REACH;
}

/** Whether all of a user's money, leases included, is worth less than half an idle lease at a price. */
export function hasNothingLeft(balanceToman: bigint, priceMilliToman: bigint): boolean {
  return balanceToman < chargeToman(IDLE / 2n, priceMilliToman);
}

/**
 * The next grant for a config, or undefined when the wallet buys no byte. The price is that of now and stays with the
 * bytes granted. A user with several configs gives at most half of what is free to one of them at a time, so that none
 * starves; what is left of a small wallet goes out whole.
 */
export function decideGrant(
  state: LeaseState,
  offer: {
    readonly walletToman: bigint;
    readonly priceMilliToman: bigint;
    readonly ahead: bigint;
    readonly shared: boolean;
    /** The subscription that gives the bytes, with what it has left (undefined: any number); absent: the wallet pays. */
    readonly subscription?: { readonly id: string; readonly leftBytes: bigint | undefined };
  },
): Grant | undefined {
  const wanted = offer.ahead - (state.limit - state.billed);
  if (wanted <= 0n) return undefined;
  // The fraction of a toman that rounding leaves free is for people who pay, not for an empty wallet.
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
 * Which of a user's live configs, oldest first, a plan for so many devices covers: the oldest, as many as it has
 * devices. One that is left for its successor is covered too and takes no place: it is the same device.
 */
export function coveredBy(
  live: readonly { readonly config_id: string; readonly is_replaced: boolean }[],
  maxDevices: number,
): ReadonlySet<string> {
  const inPlace = live.filter(({ is_replaced }) => !is_replaced).slice(0, maxDevices);
  return new Set([...live.filter(({ is_replaced }) => is_replaced), ...inPlace].map((meter) => meter.config_id));
}

/**
 * Where the lease of an idle config goes: down to the idle measure; where another one of the user's has nothing left,
 * down to the smallest one, on which a device that wakes up can still ask.
 */
export function shrinkTarget(state: { billed: bigint; limit: bigint }, isNeeded: boolean): bigint {
  const target = state.billed + (isNeeded ? MIN : IDLE);
  return target < state.limit ? target : state.limit;
}

/** Whether a config is cut for lack of money: its lease is used up and the wallet buys no more of it. */
export function isSpent(state: LeaseState, walletToman: bigint, priceMilliToman: bigint): boolean {
  if (!isUsedUp(state.billed, state.limit)) return false;
  const more = decideGrant(state, { walletToman, priceMilliToman, ahead: IDLE, shared: false });
  return more === undefined || more.grantBytes < REACH;
}

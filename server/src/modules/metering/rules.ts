import { chargeToman } from '@raha/contract/money.ts';

/**
 * A range of a config's billed bytes with one price: [start, end). The price is in thousandths of a toman per 10⁹
 * bytes.
 */
export interface Segment {
  readonly start: bigint;
  readonly price: bigint;
}

/**
 * T(u): the price of all billed bytes up to `upTo`, in toman. Segments are sorted by start. Each is rounded down once
 * on its own cumulative bytes, so T is telescoping: a range costs the same however it is split.
 */
export function totalToman(segments: readonly Segment[], upTo: bigint): bigint {
  let total = 0n;
  for (const [index, segment] of segments.entries()) {
    if (segment.start >= upTo) break;
    total += chargeToman(endOf(segments, index, upTo) - segment.start, segment.price);
  }
  return total;
}

/** A segment, and the subscription that pays for its bytes, if one does. */
export interface PricedSegment extends Segment {
  readonly subscriptionId: string | null;
}

/** A part of a byte range that has one price. */
export interface PricedPart {
  readonly bytes: bigint;
  /** Thousandths of a toman per 10⁹ bytes. */
  readonly price: bigint;
  readonly subscriptionId: string | null;
  readonly toman: bigint;
}

/**
 * Splits [from, to) of billed bytes by price, in order. Neighbours with the same price and the same source are merged.
 * The parts' toman amounts sum to T(to) − T(from). Segments are sorted by start.
 */
export function splitByPrice(segments: readonly PricedSegment[], from: bigint, to: bigint): PricedPart[] {
  const parts: PricedPart[] = [];
  for (const [index, { start, price, subscriptionId }] of segments.entries()) {
    const end = endOf(segments, index, to);
    const begin = start > from ? start : from;
    if (end <= begin) continue;
    const toman = chargeToman(end - start, price) - chargeToman(begin - start, price);
    const last = parts.at(-1);
    if (last && last.price === price && last.subscriptionId === subscriptionId) {
      parts[parts.length - 1] = { ...last, bytes: last.bytes + end - begin, toman: last.toman + toman };
    } else parts.push({ bytes: end - begin, price, subscriptionId, toman });
  }
  return parts;
}

/** How many bytes of [from, to) each subscription has paid for. Segments are sorted by start. */
export function bytesBySubscription(segments: readonly PricedSegment[], from: bigint, to: bigint): Map<string, bigint> {
  const bytes = new Map<string, bigint>();
  for (const [index, { start, subscriptionId }] of segments.entries()) {
    const end = endOf(segments, index, to);
    const begin = start > from ? start : from;
    if (subscriptionId !== null && end > begin)
      bytes.set(subscriptionId, (bytes.get(subscriptionId) ?? 0n) + end - begin);
  }
  return bytes;
}

/** Where the segment at `index` ends: at the start of the next one, at most at `upTo`. */
function endOf(segments: readonly Segment[], index: number, upTo: bigint): bigint {
  const next = segments[index + 1]?.start ?? upTo;
  return next < upTo ? next : upTo;
}

/** A meter whose first `trialBytes` bytes the trial of its owner pays for. */
export interface TrialMeter {
  readonly billed: bigint;
  readonly limit: bigint;
  readonly trialBytes: bigint;
  readonly segmentStart: bigint;
  /** Closed segments, sorted by start. */
  readonly closed: readonly { readonly start: bigint; readonly end: bigint }[];
}

/**
 * Takes `beyond` billed bytes, and all that is not used yet, out of what the trial pays for: the trial is used up. What
 * follows moves down by as much, so what was charged for it, and what is reserved for the rest, stays the same. The bytes
 * taken out have passed and wait for money.
 */
export function cutTrial(meter: TrialMeter, beyond: bigint): TrialMeter {
  const { billed, limit, trialBytes, segmentStart, closed } = meter;
  const kept = (billed < trialBytes ? billed : trialBytes) - beyond;
  const down = trialBytes - kept;
  const moved = (byte: bigint) => (byte >= trialBytes ? byte - down : byte);
  return {
    billed: billed - beyond,
    limit: limit - down,
    trialBytes: kept,
    // A running segment that begins at 0 is the trial's own, and stays open.
    segmentStart: segmentStart === 0n ? 0n : moved(segmentStart),
    closed: closed
      .map(({ start, end }) => ({ start: start === 0n ? 0n : moved(start), end: moved(end) }))
      .filter(({ start, end }) => end > start),
  };
}

/**
 * The absolute limit that a node enforces in an epoch: the bytes it has counted in that epoch plus the rest of the
 * lease.
 */
export function wireLimit(countedInEpoch: bigint, leaseLimit: bigint, billed: bigint): bigint {
  return countedInEpoch + (leaseLimit > billed ? leaseLimit - billed : 0n);
}

export type SequenceDecision =
  /** The next report, or a later one. */
  | 'accept'
  /** The same report again, because the answer was lost. */
  | 'repeat'
  /**
   * A sequence number that a different report already used: a snapshot was rolled back or the machine was cloned. Its
   * high-water marks still count, because they are true readings, but the sender must start a new epoch.
   */
  | 'fork';

/** Compares a report with the last one accepted in its epoch. */
export function decideSequence(
  last: { seq: bigint; hash: string },
  report: { seq: number; hash: string },
): SequenceDecision {
  const seq = BigInt(report.seq);
  if (seq > last.seq) return 'accept';
  return seq === last.seq && report.hash === last.hash ? 'repeat' : 'fork';
}

const HOUR = 3_600_000;

/**
 * The start of the Tehran hour that contains `now`. Tehran is UTC+3:30 all year (IANA time zone database, since 2022):
 * with UTC hours, the first half hour of each day would fall on the day before.
 */
export function hourOf(now: Date): Date {
  return new Date(Math.floor((now.getTime() - HOUR / 2) / HOUR) * HOUR + HOUR / 2);
}

/** For how many hours a balance lasts at the pace of the last day, rounded down; undefined without a pace. */
export function hoursAtPace(balanceToman: bigint, chargedInDayToman: bigint): number | undefined {
  if (chargedInDayToman <= 0n) return undefined;
  return Number((balanceToman * 24n) / chargedInDayToman);
}

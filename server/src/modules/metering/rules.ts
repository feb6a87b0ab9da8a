import { chargeToman } from '@raha/contract/money.ts';

/** A stretch of a config's billed bytes with one price: [start, end), thousandths of a toman per 10⁹ bytes. */
export interface Segment {
  readonly start: bigint;
  readonly price: bigint;
}

/**
 * T(u): the price of all billed bytes up to `upTo`, in toman. Segments are sorted by start; each is rounded down once
 * on its own cumulative bytes, so that T is telescoping: any way of splitting a stretch costs the same.
 */
export function totalToman(segments: readonly Segment[], upTo: bigint): bigint {
  let total = 0n;
  for (const [index, segment] of segments.entries()) {
    if (segment.start >= upTo) break;
    total += chargeToman(endOf(segments, index, upTo) - segment.start, segment.price);
  }
  return total;
}

/** A segment, and the subscription that gives its bytes, if one does. */
export interface PricedSegment extends Segment {
  readonly plan: string | null;
}

/** A part of a stretch of bytes that has one price. */
export interface PricedPart {
  readonly bytes: bigint;
  /** Thousandths of a toman per 10⁹ bytes. */
  readonly price: bigint;
  readonly plan: string | null;
  readonly toman: bigint;
}

/**
 * [from, to) of billed bytes by price, in order; neighbours of one price and giver are one part. The parts' tomans sum to
 * T(to) − T(from). Segments are sorted by start.
 */
export function splitByPrice(segments: readonly PricedSegment[], from: bigint, to: bigint): PricedPart[] {
  const parts: PricedPart[] = [];
  for (const [index, { start, price, plan }] of segments.entries()) {
    const end = endOf(segments, index, to);
    const begin = start > from ? start : from;
    if (end <= begin) continue;
    const toman = chargeToman(end - start, price) - chargeToman(begin - start, price);
    const last = parts.at(-1);
    if (last && last.price === price && last.plan === plan) {
      parts[parts.length - 1] = { ...last, bytes: last.bytes + end - begin, toman: last.toman + toman };
    } else parts.push({ bytes: end - begin, price, plan, toman });
  }
  return parts;
}

/** How many bytes of [from, to) each subscription has given. Segments are sorted by start. */
export function bytesOfPlans(segments: readonly PricedSegment[], from: bigint, to: bigint): Map<string, bigint> {
  const bytes = new Map<string, bigint>();
  for (const [index, { start, plan }] of segments.entries()) {
    const end = endOf(segments, index, to);
    const begin = start > from ? start : from;
    if (plan !== null && end > begin) bytes.set(plan, (bytes.get(plan) ?? 0n) + end - begin);
  }
  return bytes;
}

/** Where the segment at `index` ends, as far as `upTo`: at the start of the next one. */
function endOf(segments: readonly Segment[], index: number, upTo: bigint): bigint {
  const next = segments[index + 1]?.start ?? upTo;
  return next < upTo ? next : upTo;
}

/** The absolute limit a node enforces in an epoch: what it has counted in it, plus what is left of the lease. */
export function wireLimit(countedInEpoch: bigint, leaseLimit: bigint, billed: bigint): bigint {
  return countedInEpoch + (leaseLimit > billed ? leaseLimit - billed : 0n);
}

export type SequenceDecision =
  /** The next report, or a later one. */
  | 'accept'
  /** The same report again: a lost answer. */
  | 'repeat'
  /**
   * A number that another report already had: a snapshot was rolled back or the machine was cloned. Its high-water marks
   * still count (they are true readings), but the sender must start a new epoch.
   */
  | 'fork';

/** How a report stands to the last one accepted in its epoch. */
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
 * The instant at which the hour of Tehran began that `now` is in. Tehran is three and a half hours ahead of UTC the whole
 * year (IANA time zone database, since 2022): hours of UTC would give the first half hour of each day to the day before.
 */
export function hourOf(now: Date): Date {
  return new Date(Math.floor((now.getTime() - HOUR / 2) / HOUR) * HOUR + HOUR / 2);
}

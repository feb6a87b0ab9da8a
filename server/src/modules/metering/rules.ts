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
    const end = segments[index + 1]?.start;
    const bytes = (end !== undefined && end < upTo ? end : upTo) - segment.start;
    total += chargeToman(bytes, segment.price);
  }
  return total;
}

/** How many bytes of [from, to) each subscription has given. Segments are sorted by start. */
export function bytesOfPlans(
  segments: readonly (Segment & { readonly plan: string | null })[],
  from: bigint,
  to: bigint,
): Map<string, bigint> {
  const bytes = new Map<string, bigint>();
  for (const [index, { start, plan }] of segments.entries()) {
    const next = segments[index + 1]?.start;
    const end = next !== undefined && next < to ? next : to;
    const begin = start > from ? start : from;
    if (plan !== null && end > begin) bytes.set(plan, (bytes.get(plan) ?? 0n) + end - begin);
  }
  return bytes;
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

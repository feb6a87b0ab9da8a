import { limits } from '@raha/contract/limits.ts';
import * as billing from '../../server/src/modules/billing/rules.ts';
import type { Segment } from '../../server/src/modules/metering/rules.ts';
import type { Device } from './fleet.ts';

/** A meter of the control plane in memory. */
export interface Meter {
  readonly device: Device;
  generation: number;
  epoch: string | null;
  up: number;
  down: number;
  /** Totals of earlier epochs. */
  readonly marks: Map<string, { up: number; down: number }>;
  billed: bigint;
  unbilled: bigint;
  /** Passed under a lease that was recalled, and not paid yet. */
  unpaid: bigint;
  /** The limit that the node may still enforce after a recall. */
  recalledLimit: bigint | null;
  version: number;
  limit: bigint;
  shrinkTo: bigint | null;
  grantBytes: bigint;
  closed: Segment[];
  segmentStart: bigint;
  segmentPrice: bigint;
  /** Bytes per second, the mean over about two minutes. */
  rate: bigint;
  isShort: boolean;
  sampledAt: number | null;
  usedAt: number | null;
}

interface LeaseState {
  readonly billed: bigint;
  readonly limit: bigint;
  readonly grantBytes: bigint;
  readonly rate: bigint;
  readonly isShort: boolean;
}

/** How long leases are, and who gives way to whom. */
export interface LeaseRules {
  readonly idleBytes: bigint;
  /** Takes in a reading: the rate, and when the config was read and used last. */
  measure(meter: Meter, readAt: number, newUp: number, newDown: number): void;
  /** How many unused bytes a lease should have. */
  ahead(rate: bigint, isReported: boolean): bigint;
  needsRefill(state: LeaseState): boolean;
  /** Whether a lease with so many unused bytes, just looked at, is due for renewal all the same. */
  isShort(left: bigint, ahead: bigint): boolean;
  /** The limits to which leases are lowered when another config of their owner got nothing. */
  lowerForOthers(meters: readonly Meter[], raised: ReadonlySet<Meter>, now: number): Map<Meter, bigint>;
}

const { lease } = limits;
const IDLE_MS = 15_000;
const RATE_MS = lease.rateSeconds * 1_000;

/** Those of the server. */
export const leaseRules: LeaseRules = {
  idleBytes: BigInt(lease.idleBytes),
  measure: (meter, readAt, newUp, newDown) => {
    const sinceMs = Math.max(500, readAt - (meter.sampledAt ?? readAt - 2_000));
    const kept = meter.rate * BigInt(Math.max(RATE_MS - sinceMs, 0));
    const rate = (kept + BigInt(newUp + newDown) * 1_000n) / BigInt(Math.max(RATE_MS, sinceMs));
    meter.rate = rate < BigInt(lease.maxBytes) ? rate : BigInt(lease.maxBytes);
    meter.sampledAt = Math.max(meter.sampledAt ?? readAt, readAt);
    if (newUp + newDown > 0) meter.usedAt = Math.max(meter.usedAt ?? readAt, readAt);
  },
  ahead: (rate, isReported) => {
    const wanted = billing.wantedAhead(rate);
    const most = BigInt(lease.maxUnreportedBytes);
    return isReported || wanted < most ? wanted : most;
  },
  needsRefill: billing.needsRefill,
  isShort: (left, ahead) => left < billing.renewalAt(ahead),
  lowerForOthers: (meters, raised, now) => {
    const isIdle = (meter: Meter) => now - (meter.usedAt ?? Number.NEGATIVE_INFINITY) > IDLE_MS;
    const hasLittle = (meter: Meter) => meter.limit - meter.billed < billing.neededSoon(meter.rate);
    const others = meters.filter((meter) => !raised.has(meter));
    const isUrgent = others.some((meter) => hasLittle(meter) && (billing.needsRefill(meter) || !isIdle(meter)));
    const targets = new Map<Meter, bigint>();
    for (const meter of others) {
      if (!isIdle(meter) && (!isUrgent || hasLittle(meter))) continue;
      const target = isIdle(meter) ? billing.shrinkTarget(meter, true) : billing.shareTarget(meter);
      if (meter.shrinkTo !== null || target >= meter.limit) continue;
      targets.set(meter, target);
      meter.isShort = true;
    }
    return targets;
  },
};

const EARLIER_IDLE = 16_000_000n;
const EARLIER_MOST = 4_000_000_000n;

/** Those of releases before decision 95: a minute at the throughput of the last report. */
export const earlierLeaseRules: LeaseRules = {
  idleBytes: EARLIER_IDLE,
  measure: (meter, readAt, newUp, newDown) => {
    const seconds = Math.max(0.5, (readAt - (meter.sampledAt ?? readAt - 2_000)) / 1_000);
    meter.rate = BigInt(Math.round((newUp * 8) / seconds)) + BigInt(Math.round((newDown * 8) / seconds));
    meter.sampledAt = readAt;
    if (newUp + newDown > 0) meter.usedAt = readAt;
  },
  ahead: (bitsPerSecond) => {
    const wanted = (bitsPerSecond / 8n) * 60n;
    return wanted < EARLIER_IDLE ? EARLIER_IDLE : wanted > EARLIER_MOST ? EARLIER_MOST : wanted;
  },
  needsRefill: (state) => billing.needsRefill({ ...state, isShort: true }),
  isShort: () => false,
  lowerForOthers: (meters, _raised, now) => {
    const idle = meters.filter((meter) => now - (meter.usedAt ?? 0) > IDLE_MS);
    return new Map(idle.map((meter) => [meter, billing.shrinkTarget(meter, true)]));
  },
};

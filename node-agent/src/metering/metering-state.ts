import { createMutex, type Mutex } from '../platform/mutex.ts';
import type { UsageState } from './usage-state.ts';

/** The meters of an agent, and how far the kernel follows them. */
export interface MeteringState {
  usage: UsageState;
  /** The epoch for which the table was built or adopted; while it differs from the usage's, the table has to be built. */
  tableEpoch: string | null;
  /** Removed configs that the kernel blocks and whose final reading is due. */
  readonly removing: Set<string>;
  /** Blocked DNS queries per config since the last report that counted them. */
  readonly blockedQueries: Map<string, number>;
  lastReadingMs: number;
  /** Sample early once the tunnels have carried this many bytes. */
  earlySampleBytes: number;
  /** A sample is needed before its period is over. */
  isSampleDue: boolean;
  /** Serialises samples and changes of epoch. */
  readonly mutex: Mutex;
}

export function createMeteringState(usage: UsageState, nowMs: number): MeteringState {
  return {
    usage,
    tableEpoch: null,
    removing: new Set(),
    blockedQueries: new Map(),
    lastReadingMs: nowMs,
    earlySampleBytes: Number.POSITIVE_INFINITY,
    isSampleDue: false,
    mutex: createMutex(),
  };
}

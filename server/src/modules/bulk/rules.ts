import type { BulkAct, BulkState } from '@raha/contract/admin/bulk.ts';

/** What a member may ask of a bulk, and in which states. */
export type Step = 'pause' | 'continue' | 'stop';

/**
 * The state after a step; undefined: it is not possible now. What was planned is cancelled, what has begun is stopped. What waits for a
 * second member is declined or withdrawn as a proposal is.
 */
export function decideStep(state: BulkState, step: Step): BulkState | undefined {
  if (step === 'pause') return state === 'running' ? 'paused' : undefined;
  if (step === 'continue') return state === 'paused' ? 'running' : undefined;
  if (state === 'planned') return 'cancelled';
  return state === 'running' || state === 'paused' ? 'stopped' : undefined;
}

const inverses: Readonly<Record<BulkAct, BulkAct | undefined>> = {
  suspend: 'reopen',
  reopen: 'suspend',
  end_sessions: undefined,
  // Money is corrected by other transfers.
  credit: undefined,
};

/** What takes an act back. */
export function inverseOf(act: BulkAct): BulkAct | undefined {
  return inverses[act];
}

export function isOver(state: BulkState): boolean {
  return state === 'stopped' || state === 'cancelled' || state === 'done';
}

/** Whether so many more fit the filter than were shown that a member has to look again. */
export function isMoreThanShown(count: number, shown: number, percent: number): boolean {
  return count > shown + Math.floor((shown * percent) / 100);
}

import type { Executor } from '../../platform/database.ts';
import { daysOfMonth, monthOf, nextMonth } from './jalali-month.ts';
import { selectFirstDays } from './month-tables.ts';
import { selectOldestTransaction, selectProofs, upsertProof } from './proof-tables.ts';

export type { Proof } from './proof-tables.ts';

/** The latest result of each part of the proof. */
export const readProofs = selectProofs;
export const keepProof = upsertProof;
export const oldestTransactionSeconds = selectOldestTransaction;

/** What every process shows of the proofs, whichever process made them. */
export interface ProofState {
  /** Invariants that do not hold. */
  readonly violations: number;
  /** The end of the last proof of what is new, and the time at which everything was last proved; null: never yet. */
  readonly lastAt: Date | null;
  readonly wholeAt: Date | null;
}

export async function readProofState(db: Executor): Promise<ProofState> {
  const proofs = await selectProofs(db);
  return {
    violations: new Set([...proofs.values()].flatMap(({ violated }) => violated)).size,
    lastAt: proofs.get('new')?.ended_at ?? null,
    wholeAt: proofs.get('whole')?.proved_at ?? null,
  };
}

export interface ProvedMonth {
  readonly month: string;
  readonly since: Date;
  readonly until: Date | undefined;
}

/**
 * The Jalali months that everything ever written lies in: the first has no beginning and the last no end, so that no clock
 * puts a row outside of all of them.
 */
export async function listProvedMonths(db: Executor, now: Date): Promise<ProvedMonth[]> {
  const { first } = await selectFirstDays(db);
  const last = monthOf(dayOf(now));
  const months = [last];
  const earliest = first === null ? last : monthOf(first);
  while ((months[0] as string) > earliest) months.unshift(nextMonth(months[0] as string, -1));
  return months.map((month, at) => {
    const end = months[at + 1];
    return {
      month,
      since: at === 0 ? new Date(0) : startOf(month),
      until: end === undefined ? undefined : startOf(end),
    };
  });
}

const TEHRAN_MS = 12_600_000;

function dayOf(time: Date): string {
  return new Date(time.getTime() + TEHRAN_MS).toISOString().slice(0, 10);
}

function startOf(month: string): Date {
  return new Date(`${daysOfMonth(month)?.from}T00:00:00+03:30`);
}

import { codeOf, type ProofTime } from '../modules/ledger/check-invariants.ts';
import {
  keepProof,
  listProvedMonths,
  oldestTransactionSeconds,
  type Proof,
  readProofs,
} from '../modules/ledger/proofs.ts';
import { addSeconds } from '../platform/clock.ts';
import { checkLedger, shareOut } from './check-ledger.ts';
import type { Deps } from './deps.ts';

type ProofDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

/** An id is made before its transaction begins, and by the clock of another machine. */
const OVERLAP_SECONDS = 60;
const WHOLE_EVERY_MS = 86_400_000;

/**
 * Proves what is new since the last proof that held, whichever process made it, or since the beginning of the oldest transaction
 * that was open then: what that wrote was not to be seen. After a violation the next one looks at the
 * same time again. Returns the codes of what does not hold.
 */
export async function proveNew(deps: ProofDeps): Promise<readonly string[]> {
  const now = deps.clock.now();
  const last = (await readProofs(deps.db)).get('new');
  const open = await oldestTransactionSeconds(deps.db);
  const provedAt = last?.proved_at ?? now;
  const violated = await prove(deps, { since: addSeconds(provedAt < now ? provedAt : now, -OVERLAP_SECONDS) });
  const holds = violated.length === 0;
  await keepProof(deps.db, resultOf(deps, 'new', now, violated, holds ? addSeconds(now, -Math.ceil(open)) : provedAt));
  return violated;
}

/**
 * Proves everything once a day, a Jalali month after the other, and a month that does not hold each time again. The results
 * are rows, so that another process goes on where one ended. Returns how many months it proved.
 */
export async function proveWhole(deps: ProofDeps): Promise<number> {
  const { db, clock } = deps;
  const months = await listProvedMonths(db, clock.now());
  const before = await readProofs(db);
  const isDueNow = ({ month }: { readonly month: string }) => isDue(before.get(month), clock.now());
  const due = months.some(isDueNow) ? (await shareOut(db, months)).filter(isDueNow) : [];
  for (const time of due) {
    const { month } = time;
    const now = clock.now();
    const violated = await prove(deps, time);
    const provedAt = violated.length === 0 ? now : (before.get(month)?.proved_at ?? null);
    await keepProof(db, resultOf(deps, month, now, violated, provedAt));
  }
  if (due.length > 0)
    await keepWhole(
      deps,
      months.map(({ month }) => month),
    );
  return due.length;
}

function isDue(proof: Proof | undefined, now: Date): boolean {
  return !proof || proof.violated.length > 0 || now.getTime() - proof.started_at.getTime() >= WHOLE_EVERY_MS;
}

/** Everything was proved when the month was that was proved longest ago. */
async function keepWhole(deps: ProofDeps, months: readonly string[]): Promise<void> {
  const proofs = await readProofs(deps.db);
  const parts = months.flatMap((month) => proofs.get(month) ?? []);
  const oldest = (times: readonly Date[]) => new Date(Math.min(...times.map((time) => time.getTime())));
  const proved = parts.flatMap(({ proved_at }) => proved_at ?? []);
  const provedAt = proved.length === months.length ? oldest(proved) : null;
  const violated = [...new Set(parts.flatMap((part) => part.violated))];
  const startedAt = oldest(parts.map((part) => part.started_at));
  await keepProof(deps.db, resultOf(deps, 'whole', startedAt, violated, provedAt));
}

async function prove({ db, log }: ProofDeps, time: ProofTime): Promise<readonly string[]> {
  const { violations } = await checkLedger(db, time);
  for (const violation of violations) log.error(violation, 'A LEDGER INVARIANT DOES NOT HOLD');
  return violations.map(({ invariant }) => codeOf(invariant));
}

function resultOf(deps: ProofDeps, part: string, startedAt: Date, violated: readonly string[], provedAt: Date | null) {
  // A clock that was set back meanwhile.
  const endedAt = new Date(Math.max(startedAt.getTime(), deps.clock.now().getTime()));
  return { part, started_at: startedAt, ended_at: endedAt, proved_at: provedAt, violated };
}

import { addSeconds } from '../platform/clock.ts';
import { checkLedger } from './check-ledger.ts';
import type { Deps } from './deps.ts';

/** A transaction that began before the last proof may have committed after it; no transaction takes this long. */
const OVERLAP_SECONDS = 600;
const WHOLE_EVERY_MS = 86_400_000;

/** Proves the ledger every minute: all of it at the start and once a day, otherwise only what is new since the last proof. */
export function createLedgerProof(deps: Deps, onViolations: (count: number) => void): () => Promise<void> {
  let wholeAt: Date | undefined;
  let provedAt: Date | undefined;
  return async () => {
    const now = deps.clock.now();
    const isWhole = !provedAt || !wholeAt || now.getTime() - wholeAt.getTime() >= WHOLE_EVERY_MS;
    const since = isWhole || !provedAt ? undefined : addSeconds(provedAt, -OVERLAP_SECONDS);
    const { violations } = await checkLedger(deps.db, since);
    onViolations(violations.length);
    for (const violation of violations) deps.log.error(violation, 'A LEDGER INVARIANT DOES NOT HOLD');
    if (violations.length > 0) return;
    provedAt = now;
    if (isWhole) wholeAt = now;
  };
}

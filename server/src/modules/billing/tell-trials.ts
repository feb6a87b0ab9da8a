import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { accountChanged } from '../accounts/signals.ts';
import { markEarlierTrials, takeUnnotifiedTrials } from '../accounts/trial.ts';
import type { ServiceNotifier } from './notifications.ts';

export interface TrialDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly notifier: ServiceNotifier;
}

const BATCH = 500;

/** Notifies the users whose trial traffic was used up before its last day. Reports do not wait for it. */
export async function tellTrials(deps: TrialDeps): Promise<number> {
  return await inTransaction(deps.db, async (tx) => {
    const taken = await takeUnnotifiedTrials(tx, BATCH, deps.clock.now());
    const running = taken.filter(({ was_running }) => was_running);
    const trials = running.map(({ user_id, limit_bytes }) => ({ userId: user_id, gb: Number(limit_bytes) / 1e9 }));
    await deps.notifier.trialsUsedUp(tx, trials);
    for (const { userId } of trials) await deps.bus.announce(tx, accountChanged, { userId });
    return taken.length;
  });
}

/** After the upgrade: marks the mailboxes and numbers of trials that began before marks were kept. */
export async function markTrials(deps: TrialDeps): Promise<number> {
  return await inTransaction(deps.db, (tx) => markEarlierTrials(tx, deps.vault, BATCH));
}

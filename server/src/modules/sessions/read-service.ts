import type { Service } from '@raha/contract/public/service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { decideService } from '../accounts/service.ts';
import { hasService, isInTrial } from '../accounts/users.ts';
import type { SignedInCaller } from './caller.ts';

export interface ServiceDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Whether a plan of the user has something left, or what it gave out is not used up. */
  readonly hasAllowance: (userId: string) => Promise<boolean>;
}

/** Whether the caller's service is there. A plan is looked up only if nothing else pays, because every screen asks. */
export async function readService(
  deps: ServiceDeps,
  caller: Pick<SignedInCaller, 'user' | 'stop' | 'trial' | 'accounts'>,
): Promise<Service> {
  const { user, stop, trial, accounts } = caller;
  const now = deps.clock.now();
  const isServed = await hasService(deps.db, user, now);
  const isFree = isInTrial(user, now) && trial?.ended_at === null;
  const hasMoney = accounts.walletToman + accounts.leaseToman > 0n;
  const isCut = stop !== undefined && stop.restored_at === null;
  const isPaidFor = isFree || hasMoney || (isServed && !isCut && (await deps.hasAllowance(user.id)));
  return decideService({ isServed, isPaidFor, stop });
}

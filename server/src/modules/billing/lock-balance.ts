import type { Bus } from '../../platform/bus.ts';
import type { Tx } from '../../platform/database.ts';
import type { LockedBalance } from '../ledger/locked-balance.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { lockMetersOfUser, type MeterRow } from '../metering/leases.ts';
import type { GrantDeps } from './grant-leases.ts';
import type { ServiceNotifier } from './notifications.ts';
import { releaseLeases } from './release-leases.ts';
import { changeWanted, raiseLow } from './restore-service.ts';

interface BalanceDeps extends GrantDeps {
  readonly bus: Bus;
  readonly notifier: ServiceNotifier;
}

/** Locks a user's leases and accounts, so that the whole balance can be spent and not only what is free. */
export async function lockBalance(deps: BalanceDeps, tx: Tx, userId: string): Promise<LockedBalance> {
  const meters = await lockMetersOfUser(tx, userId);
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  const { walletId, walletToman, leaseToman } = accounts;
  return {
    walletId,
    balanceToman: walletToman + leaseToman,
    async spend(amountToman, move) {
      if (amountToman !== 'all' && amountToman <= walletToman) return await move();
      const recalled = await recallLeases(tx, deps, meters);
      const moved = await move();
      await grantAnew(tx, deps, userId, recalled);
      return moved;
    },
  };
}

/**
 * Takes back what is reserved in leases, in this transaction and without asking the nodes. What passes before a node
 * hears of it is paid by the new lease, or by the next money that comes in (decision 52).
 */
async function recallLeases(tx: Tx, deps: BalanceDeps, meters: readonly MeterRow[]): Promise<MeterRow[]> {
  const recalled = meters.filter((meter) => meter.lease_limit_bytes > meter.billed_bytes);
  await releaseLeases(
    tx,
    recalled.map((meter) => ({ meter, limit: meter.billed_bytes })),
    deps.clock.now(),
    { isRecalled: true },
  );
  return recalled;
}

/** Grants leases from the money that is left, and tells the nodes of all that changed. */
async function grantAnew(tx: Tx, deps: BalanceDeps, userId: string, recalled: readonly MeterRow[]): Promise<void> {
  const meters = await lockMetersOfUser(tx, userId);
  const changed = new Map(recalled.map((meter) => [meter.config_id, meter.node_id]));
  for (const { configId, nodeId } of await raiseLow(tx, deps, userId, meters)) changed.set(configId, nodeId);
  await changeWanted(
    tx,
    deps.bus,
    [...changed].map(([configId, nodeId]) => ({ configId, nodeId })),
  );
}

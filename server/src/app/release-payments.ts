import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { endHold, findHold, type Hold } from '../modules/payments/hold.ts';
import { listDisagreements } from '../modules/settlements/agree-after-restore.ts';
import type { Actor, Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import { checkLedger } from './check-ledger.ts';

/**
 * Lets users pay again after a restore. Refuses, with a sentence for each thing that is missing, unless the ledger holds, the list of
 * every gateway covers the days that the books lost, and nothing in those lists is left open. `without` are gateways of which
 * the operator says that their panel shows nothing of those days.
 */
export async function releasePayments(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: {
    readonly actor: Actor;
    readonly operator: string;
    readonly reason: string;
    /** The gateways of this installation: those with keys. */
    readonly gateways: readonly GatewayName[];
    readonly without: readonly GatewayName[];
  },
): Promise<Hold> {
  const hold = await findHold(deps.db);
  if (!hold) throw new OperatorMistake('conflict', 'Payments are not held.');
  const asked = order.gateways.filter((name) => !order.without.includes(name));
  const missing = await listDisagreements(deps, hold, asked);
  if (missing.length > 0) throw new OperatorMistake('conflict', missing.join('\n'));
  const { violations } = await checkLedger(deps.db);
  if (violations.length > 0)
    throw new OperatorMistake(
      'conflict',
      `The ledger does not hold: ${violations.map(({ invariant }) => invariant).join('; ')}`,
    );
  await endHold(deps, hold, { ...order, without: order.without.join(' ') });
  return hold;
}

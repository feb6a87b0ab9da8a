import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ConfirmDeps } from './confirm-payment.ts';
import type { Gateway } from './gateway.ts';
import { findHold } from './hold.ts';
import { findOfferedGateway } from './offered-gateways.ts';
import { returnUrl } from './return-seal.ts';
import { nextCheckAt } from './rules.ts';
import { insertPayment, selectPayment, updateClosed, updateStarted } from './tables.ts';

interface ChargeRequest {
  readonly userId: string;
  readonly amountToman: number;
  readonly gateway: GatewayName;
  readonly idempotent?: IdempotentRequest | undefined;
  /** Refuses a new payment when the account starts too many; not called for a repeated request. */
  readonly admit?: (() => void) | undefined;
}

/**
 * Starts a wallet charge. The payment's row is committed before the bank is called, and no transaction is open during
 * the call. Repeating the request with its key continues the same payment. Refuses `payments_held`, `gateway_off`, `gateway_unavailable`
 * (outcome unknown: the reconciler checks later), `payment_refused` (the bank said no) and what `admit` refuses.
 */
export async function startPayment(
  deps: ConfirmDeps & { publicUrl: string },
  request: ChargeRequest,
): Promise<{ paymentId: string; paymentUrl: string }> {
  const { paymentId } = await runIdempotently(deps.db, request.idempotent, async () => {
    await getOfferedGateway(deps, request.gateway);
    return await createPayment(deps, request);
  });
  const known = await selectPayment(deps.db, paymentId);
  if (known?.payment_url) return { paymentId, paymentUrl: known.payment_url };
  const gateway = await getOfferedGateway(deps, request.gateway);
  return { paymentId, paymentUrl: await askBank(deps, gateway, paymentId, request.amountToman) };
}

async function getOfferedGateway(deps: ConfirmDeps, name: GatewayName): Promise<Gateway> {
  if (await findHold(deps.db)) throw new Refusal('payments_held');
  const gateway = await findOfferedGateway(deps, name);
  if (!gateway) throw new Refusal('gateway_off', { fields: { payment_method: 'invalid' } });
  return gateway;
}

async function createPayment(deps: ConfirmDeps, request: ChargeRequest): Promise<{ paymentId: string }> {
  const now = deps.clock.now();
  return await inTransaction(deps.db, async (tx) => {
    const earlier = await claimKey<{ paymentId: string }>(tx, request.idempotent, now);
    if (earlier) return earlier;
    request.admit?.();
    const id = newId(now);
    await insertPayment(tx, { id, ...request, nextCheckAt: nextCheckAt(now, 0) }, now);
    await storeAnswer(tx, request.idempotent, { paymentId: id });
    return { paymentId: id };
  });
}

async function askBank(
  deps: ConfirmDeps & { publicUrl: string; db: Database },
  gateway: Gateway,
  paymentId: string,
  amountToman: number,
): Promise<string> {
  const started = await gateway.start({
    paymentId,
    amountToman,
    callbackUrl: returnUrl(deps, gateway.name, paymentId),
    description: 'شارژ کیف پول',
  });
  if (started.kind === 'started') {
    const { gatewayReference, paymentUrl } = started;
    await inTransaction(deps.db, (tx) => updateStarted(tx, paymentId, gatewayReference, paymentUrl));
    // If two answers arrive for one payment, the first counts; nobody may be sent to pay on the other.
    const stored = await selectPayment(deps.db, paymentId);
    if (!stored?.payment_url) throw new Refusal('payment_refused');
    return stored.payment_url;
  }
  deps.log.warn(
    { gateway: gateway.name, payment: paymentId, reason: started.reason },
    'a payment could not be started',
  );
  if (started.kind === 'unknown') throw new Refusal('gateway_unavailable');
  const closed = { state: 'failed', failure: started.reason, evidence: undefined, nextCheckAt: undefined } as const;
  await inTransaction(deps.db, (tx) => updateClosed(tx, paymentId, closed, deps.clock.now()));
  throw new Refusal('payment_refused');
}

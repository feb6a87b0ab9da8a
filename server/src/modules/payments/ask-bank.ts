import type { Actor, Audit } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ConfirmDeps, referenceOf } from './confirm-payment.ts';
import type { InquiryResult } from './rules.ts';
import { selectPayment } from './tables.ts';

/**
 * What the bank knows of a payment now, for a member who decides about it. It settles nothing: only a verified answer does. The
 * audit keeps what was answered. Refuses `not_found` and `bank_not_asked`.
 */
export async function askBank(
  deps: Pick<ConfirmDeps, 'db' | 'gateways'> & { readonly audit: Audit },
  { actor, paymentId }: { readonly actor: Actor; readonly paymentId: string },
): Promise<InquiryResult> {
  const payment = await selectPayment(deps.db, paymentId);
  if (!payment) throw new Refusal('not_found');
  const gateway = deps.gateways.get(payment.gateway);
  const reference = referenceOf(payment);
  if (!gateway || !reference) throw new Refusal('bank_not_asked');
  const answer = await gateway.inquire(reference);
  const target = { kind: 'payment', id: paymentId } as const;
  await inTransaction(deps.db, (tx) =>
    deps.audit.record(tx, actor, { action: 'payments.ask', target, userId: payment.user_id, details: { answer } }),
  );
  return answer;
}

import type { StaffActor } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { refuseMember } from '../payments/refuse-member.ts';
import { lockWaiting, requireSettled, reviewPayment } from '../payments/review-payment.ts';
import type { CorrectionDeps } from './correct-books.ts';
import { selectOpenCredit } from './proposal-tables.ts';
import { keepProposal, noBulk, type Requested } from './propose-correction.ts';
import { creditAlone } from './settings.ts';

/** The proposal to credit a payment that waits for a second member, if there is one. */
export const findOpenCredit = selectOpenCredit;

interface CreditRequest {
  readonly actor: StaffActor;
  readonly paymentId: string;
  /** The bank's, by which it holds the money. */
  readonly reference: string;
  readonly isSameReference: boolean;
  readonly reason: string;
}

/**
 * A member credits a payment that waits for the operator. Up to `approvals.creditToman` it is done at once; beyond, it is proposed to a
 * second member. Refuses `payment_not_waiting`, `payment_account_deleted`, `payment_reference_taken`, `payment_proposed`,
 * `staff_own_account` and `forbidden`.
 */
export async function requestCredit(deps: ReviewDeps, request: CreditRequest): Promise<Requested> {
  const { actor, paymentId, reference: refId, isSameReference, reason: note } = request;
  const limitToman = BigInt(await getSetting(deps.db, creditAlone));
  const proposed = await proposeBeyond(deps, request, limitToman);
  if (proposed) return { outcome: 'proposed', id: proposed };
  const verdict = { paymentId, actor, outcome: 'credited', note, refId, isSameReference } as const;
  requireSettled(await reviewPayment(deps, { ...verdict, allowed: { limitToman } }));
  return { outcome: 'done' };
}

type ReviewDeps = CorrectionDeps & Parameters<typeof reviewPayment>[0];

/** The proposal's id, or undefined if the payment is within the limit, or waits for nobody. */
async function proposeBeyond(
  deps: ReviewDeps,
  request: CreditRequest,
  limitToman: bigint,
): Promise<string | undefined> {
  const { actor, paymentId, reference, isSameReference, reason } = request;
  return await inTransaction(deps.db, async (tx) => {
    const payment = await lockWaiting(tx, paymentId);
    if (!payment || payment.amount_toman <= limitToman) return undefined;
    await refuseMember(tx, actor, payment.user_id, 'payments.settle');
    if (await selectOpenCredit(tx, paymentId, deps.clock.now())) throw new Refusal('payment_proposed');
    const sum = { kind: 'credit', amount_toman: payment.amount_toman } as const;
    const about = { payment_id: paymentId, reference, same_reference: isSameReference };
    const by = { user_id: payment.user_id, reason, proposed_by: actor.userId };
    const { id } = await keepProposal(tx, deps, { ...by, ...sum, ...about, ...noBulk });
    await deps.audit.record(tx, actor, {
      action: 'payments.propose-credit',
      target: { kind: 'payment', id: paymentId },
      userId: payment.user_id,
      reason,
      details: { proposal: id, amountToman: Number(payment.amount_toman) },
    });
    return id;
  });
}

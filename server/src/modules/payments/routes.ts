import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import type { PaymentRecord, payments } from '@raha/contract/public/payments.ts';
import type { wallet } from '@raha/contract/public/wallet.ts';
import type { Call, Handlers } from '../../platform/http/mount.ts';
import { checkKey, idempotentRequestOf } from '../../platform/idempotency.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { requireActivated, requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { cancelPayment } from './cancel-payment.ts';
import { type ConfirmDeps, confirmPayment, shownStatus } from './confirm-payment.ts';
import { describePayments } from './describe-payment.ts';
import { findHold } from './hold.ts';
import { describeGateways } from './offered-gateways.ts';
import { renderReceipt } from './receipt.ts';
import { requestRefund } from './request-refund.ts';
import { isSealed } from './return-seal.ts';
import { startPayment } from './start-payment.ts';
import { type PaymentRow, selectPayment } from './tables.ts';
import { readUsualCharge } from './usual-charge.ts';

type Charging = Pick<
  typeof wallet,
  'listPaymentGateways' | 'chargeWallet' | 'verifyCharge' | 'gatewayReturn' | 'gatewayReturnPosted'
> &
  Pick<
    typeof payments,
    'listPaymentMethods' | 'createPayment' | 'verifyPayment' | 'cancelPayment' | 'refundPayment' | 'downloadReceipt'
  >;

type Deps = ConfirmDeps & { publicUrl: string; minuteLimit: MinuteLimit };
type Signed = Call<SignedInCaller>;

export function paymentRoutes(deps: Deps): Handlers<Charging, SignedInCaller, unknown> {
  return {
    async listPaymentGateways({ caller, locale }) {
      const gateways = await describeGateways(deps, locale);
      const usual = await readUsualCharge(deps, caller.user.id, locale);
      return { success: true, data: { gateways, held: (await findHold(deps.db)) !== undefined, usual } };
    },
    async listPaymentMethods({ locale }) {
      return { success: true, data: { methods: await describeGateways(deps, locale) } };
    },
    async chargeWallet({ body, caller, request }) {
      requireActivated(caller.user);
      const { paymentId, paymentUrl } = await startPayment(deps, {
        userId: caller.user.id,
        amountToman: body.amount,
        gateway: body.payment_method,
        idempotent: idempotentRequestOf(request, caller.user.id, body),
        admit: () => admitCharge(deps, caller.user.id),
      });
      return { success: true, payment_url: paymentUrl, transaction_id: paymentId };
    },
    async createPayment({ body, ...call }) {
      requireActivated(call.caller.user);
      const { paymentId, paymentUrl } = await startPayment(deps, {
        userId: call.caller.user.id,
        amountToman: body.amount,
        gateway: body.gateway,
        idempotent: idempotentRequestOf(call.request, call.caller.user.id, body),
        admit: () => admitCharge(deps, call.caller.user.id),
      });
      const payment = await getRecord(deps, call, paymentId);
      return { success: true, payment_url: paymentUrl, transaction_id: paymentId, data: { payment } };
    },
    async verifyCharge({ body, ...call }) {
      return await verify(deps, call, body.transaction_id, body.authority, body);
    },
    async verifyPayment({ params, body, ...call }) {
      return await verify(deps, call, params.id, body?.authority, body);
    },
    async cancelPayment({ params, ...call }) {
      const { user } = call.caller;
      await checkKey(deps.db, idempotentRequestOf(call.request, user.id, null), deps.clock.now());
      await cancelPayment(deps, requireActive(user).id, params.id);
      const payment = await getRecord(deps, call, params.id);
      return { success: true, message: messages.cancelled[call.locale], data: { payment } };
    },
    async refundPayment({ params, body, ...call }) {
      const { user } = call.caller;
      await requestRefund(deps, {
        userId: requireActive(user).id,
        paymentId: params.id,
        amountToman: body?.amount,
        reason: body?.reason,
        idempotent: idempotentRequestOf(call.request, user.id, body),
      });
      const payment = await getRecord(deps, call, params.id);
      return { success: true, message: messages.refunding[call.locale], data: { payment } };
    },
    async downloadReceipt({ params, reply, ...call }) {
      const payment = await getRecord(deps, { ...call, reply }, params.id);
      if (payment.receipt_url === null) throw new Refusal('receipt_not_ready');
      deps.minuteLimit.take(`files of ${call.caller.user.id}`, limits.http.filesPerMinute);
      const pdf = await renderReceipt(deps, payment, call.caller.user);
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="raha-receipt-${payment.id.slice(-12)}.pdf"`)
        .header('cache-control', 'no-store')
        .send(pdf);
    },
    gatewayReturn: (call) => comeBack(deps, call, call.request.query as Record<string, unknown>),
    gatewayReturnPosted: (call) => {
      const { query, body } = call.request as { query: Record<string, unknown>; body: Record<string, unknown> };
      return comeBack(deps, call, { ...query, ...body });
    },
  };
}

const messages = {
  refunding: { fa: 'درخواست بازگردانی وجه با موفقیت ثبت شد', en: 'The refund was requested.' },
  cancelled: { fa: 'پرداخت با موفقیت لغو شد', en: 'The payment was cancelled.' },
};

function admitCharge(deps: Deps, userId: string): void {
  deps.minuteLimit.take(`charge ${userId}`, limits.payment.startsPerMinute);
}

async function getRecord(deps: Deps, call: Signed, id: string): Promise<PaymentRecord> {
  const user = requireActive(call.caller.user);
  const payment = (await describePayments(deps, user.id, [id], call.locale)).get(id);
  if (!payment) throw new Refusal('not_found');
  return payment;
}

async function verify(deps: Deps, call: Signed, id: string, gatewayReference: string | undefined, body: unknown) {
  const { user } = call.caller;
  const payment = await selectPayment(deps.db, id);
  if (!payment || payment.user_id !== user.id) throw new Refusal('not_found');
  await checkKey(deps.db, idempotentRequestOf(call.request, user.id, body), deps.clock.now());
  if (
    gatewayReference !== undefined &&
    payment.gateway_reference !== null &&
    gatewayReference !== payment.gateway_reference
  ) {
    throw new Refusal('payment_mismatch');
  }
  // Also a failed payment is asked about again; a completed one is not.
  if (payment.state !== 'completed') {
    deps.minuteLimit.take(`check payment ${payment.id}`, limits.payment.checksPerMinute);
    deps.minuteLimit.take(`check payments of ${user.id}`, limits.payment.checksPerAccountPerMinute);
  }
  const settled = (await confirmPayment(deps, payment.id)) ?? payment;
  const status = shownStatus(settled.state);
  if (status === 'pending') throw new Refusal('payment_pending');
  if (status !== 'completed') throw new Refusal('payment_failed');
  const accounts = await getUserAccounts(deps.db, user.id);
  return {
    success: true as const,
    status,
    amount: toWire(settled.amount_toman),
    ref_id: settled.ref_id ?? '',
    settled_at: settled.settled_at?.toISOString() ?? null,
    balance: toWire(accounts.walletToman + accounts.leaseToman),
  };
}

async function comeBack(
  deps: Deps,
  { params, reply }: Call<undefined> & { params: { gateway: string; id: string; seal: string } },
  given: Record<string, unknown>,
) {
  const payment = isSealed(deps.vault, params.id, params.seal) ? await selectPayment(deps.db, params.id) : undefined;
  const gateway = payment && deps.gateways.get(payment.gateway);
  if (!gateway || payment.gateway !== params.gateway) throw new Refusal('not_found');
  const { gatewayReference, outcome: returned } = gateway.readReturn(lowerCaseKeys(given));
  // A return with another payment's reference is not this payment's return; the reconciler will find the outcome.
  const ours =
    payment.gateway_reference === null ||
    gatewayReference === undefined ||
    gatewayReference === payment.gateway_reference;
  // Opening the address again and again asks no more often: the reconciler will find the outcome.
  const settled = ours && mayAsk(deps, payment) ? await confirmPayment(deps, payment.id, { returned }) : payment;
  const good = settled?.state === 'completed' || (ours && returned !== 'nok' && isOpen(settled?.state));
  const outcome = good ? 'ok' : 'nok';
  return reply.redirect(`${deps.publicUrl}${panelPaths.charge}?payment=${payment.id}&outcome=${outcome}`, 303);
}

function mayAsk(deps: Deps, { id }: PaymentRow): boolean {
  try {
    deps.minuteLimit.take(`return ${id}`, limits.payment.checksPerMinute);
    return true;
  } catch {
    return false;
  }
}

function isOpen(state: string | undefined): boolean {
  return state === 'created' || state === 'redirected' || state === 'needs_review';
}

/** Gateways do not keep to the case of parameter names in their documents. */
function lowerCaseKeys(given: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([key, value]) => [key.toLowerCase(), value]));
}

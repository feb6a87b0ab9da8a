import { toWire } from '@raha/contract/money.ts';
import type { wallet } from '@raha/contract/public/wallet.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { repeatableOf } from '../../platform/idempotency.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { requireActivated, type SignedInCaller } from '../sessions/caller.ts';
import { type ConfirmDeps, confirmPayment, shownStatus } from './confirm-payment.ts';
import { isSealed } from './return-seal.ts';
import { startPayment } from './start-payment.ts';
import { selectPayment } from './tables.ts';

type Charging = Pick<typeof wallet, 'listPaymentGateways' | 'chargeWallet' | 'verifyCharge' | 'gatewayReturn'>;

export function paymentRoutes(deps: ConfirmDeps & { publicUrl: string }): Handlers<Charging, SignedInCaller, unknown> {
  return {
    async listPaymentGateways({ locale }) {
      const gateways = [...deps.gateways.values()].map(({ name, title, test }) => ({
        name,
        title: title[locale],
        test,
      }));
      return { success: true, data: { gateways } };
    },
    async chargeWallet({ body, caller, request }) {
      requireActivated(caller.person);
      const { paymentId, paymentUrl } = await startPayment(deps, {
        userId: caller.person.id,
        amountToman: body.amount,
        gateway: body.payment_method,
        repeatable: repeatableOf(request, caller.person.id, body),
      });
      return { success: true, payment_url: paymentUrl, transaction_id: paymentId };
    },
    async verifyCharge({ body, caller }) {
      const payment = await selectPayment(deps.db, body.transaction_id);
      if (!payment || payment.user_id !== caller.person.id) throw new Refusal('not_found');
      if (body.authority !== undefined && payment.authority !== null && body.authority !== payment.authority) {
        throw new Refusal('payment_mismatch');
      }
      const settled = (await confirmPayment(deps, payment.id)) ?? payment;
      const status = shownStatus(settled.state);
      if (status === 'pending') throw new Refusal('payment_pending');
      if (status !== 'completed') throw new Refusal('payment_failed');
      const accounts = await getUserAccounts(deps.db, caller.person.id);
      return {
        success: true,
        status,
        amount: toWire(settled.amount_toman),
        ref_id: settled.ref_id ?? '',
        balance: toWire(accounts.walletToman + accounts.leaseToman),
      };
    },
    async gatewayReturn({ params, request, reply }) {
      const query = lowerCaseKeys(request.query as Record<string, unknown>);
      const payment = isSealed(deps.vault, params.id, params.seal)
        ? await selectPayment(deps.db, params.id)
        : undefined;
      if (!payment || payment.gateway !== params.gateway) throw new Refusal('not_found');
      const returned = String(query.status ?? '').toUpperCase() === 'OK' ? 'ok' : 'nok';
      // A foreign authority on our address is not our payment's return; the reconciler will learn the truth.
      const ours = payment.authority === null || query.authority === undefined || query.authority === payment.authority;
      const settled = ours ? await confirmPayment(deps, payment.id, { returned }) : payment;
      const outcome = settled?.state === 'completed' || (returned === 'ok' && ours) ? 'ok' : 'nok';
      return reply.redirect(`${deps.publicUrl}/user/wallet/charge?payment=${payment.id}&outcome=${outcome}`, 303);
    },
  };
}

/** Gateways differ in the case of their parameters between documents and practice. */
function lowerCaseKeys(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key.toLowerCase(), value]));
}

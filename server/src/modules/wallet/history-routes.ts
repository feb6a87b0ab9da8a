import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { payments } from '@raha/contract/public/payments.ts';
import type { wallet } from '@raha/contract/public/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { countPayments, findPayment, listPayments, type PaymentSearch } from './payment-list.ts';
import { sumByDay } from './sum-tables.ts';
import { beginOf, describeSums } from './wallet-sums.ts';

type History = Pick<typeof wallet, 'getWalletStats' | 'getWalletChart'> &
  Pick<typeof payments, 'listPayments' | 'searchPayments' | 'getPayment' | 'getPaymentStats'>;

export function historyRoutes(deps: { db: Database; clock: Clock }): Handlers<History, SignedInCaller, unknown> {
  const list = async (
    caller: SignedInCaller,
    query: PaymentSearch & { page: number; per_page: number },
    locale: Locale,
  ) => {
    const userId = requireActive(caller.user).id;
    const page = { number: query.page, size: query.per_page };
    const { payments, total } = await listPayments(deps, userId, query, page, locale);
    const total_pages = Math.max(1, Math.ceil(total / query.per_page));
    return { success: true as const, data: { payments, pagination: { page: query.page, total_pages, total } } };
  };
  return {
    listPayments: ({ caller, query, locale }) => list(caller, query, locale),
    searchPayments: ({ caller, query, locale }) => list(caller, query, locale),
    async getPayment({ caller, params, locale }) {
      const payment = await findPayment(deps, requireActive(caller.user).id, params.id, locale);
      if (!payment) throw new Refusal('not_found');
      return { success: true, data: { payment } };
    },
    async getPaymentStats({ caller, query }) {
      const userId = requireActive(caller.user).id;
      const counts = await countPayments(deps, userId, beginOf(query.period, deps.clock.now()));
      return {
        success: true,
        data: {
          successfulPayments: counts.completed,
          pendingPayments: counts.pending,
          failedPayments: counts.failed,
          cancelledPayments: counts.cancelled,
          refundedPayments: counts.refunded,
          totalAmount: counts.totalAmount,
          totalPurchases: counts.totalPurchases,
        },
      };
    },
    async getWalletStats({ caller, query }) {
      const userId = requireActive(caller.user).id;
      const { accounts } = caller;
      const sums = await describeSums(deps.db, userId, beginOf(query.period, deps.clock.now()));
      return { success: true, data: { balance: toWire(accounts.walletToman + accounts.leaseToman), ...sums } };
    },
    async getWalletChart({ caller, query }) {
      const days = Number(query.period.slice(0, -1));
      const sums = await sumByDay(deps.db, requireActive(caller.user).id, days, deps.clock.now());
      return {
        success: true,
        data: {
          labels: sums.map(({ day }) => day),
          deposits: sums.map(({ deposits }) => toWire(deposits)),
          withdrawals: sums.map(({ withdrawals }) => toWire(withdrawals)),
        },
      };
    },
  };
}

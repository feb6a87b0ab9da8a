import { toWire } from '@raha/contract/money.ts';
import type { nodeEndpoints } from '@raha/contract/node/protocol.ts';
import type { wallet } from '@raha/contract/public/wallet.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { shownPrice } from './price.ts';
import { type ReportDeps, receiveUsageReport } from './receive-usage-report.ts';
import { findWalletLine, listWalletLines, sumWalletLines } from './wallet-lines.ts';

type Reading = Pick<typeof wallet, 'getWallet' | 'listWalletTransactions' | 'getWalletTransaction'>;

export function walletRoutes(deps: ReportDeps): Handlers<Reading, SignedInCaller, unknown> {
  return {
    async getWallet({ caller }) {
      const user = requireActive(caller.user);
      const accounts = await getUserAccounts(deps.db, user.id);
      const totals = await sumWalletLines(deps.db, user.id);
      const price = await shownPrice(deps.db, deps.rate, user, deps.clock.now());
      return {
        success: true,
        data: {
          balance: toWire(accounts.walletToman + accounts.leaseToman),
          reserved: toWire(accounts.leaseToman),
          price_per_gb: Number(price.milliToman) / 1000,
          price_is_current: price.isCurrent,
          stats: {
            totalDeposits: toWire(totals.deposits),
            totalWithdrawals: toWire(totals.withdrawals),
            totalTransactions: totals.lines,
          },
        },
      };
    },
    async listWalletTransactions({ caller, query, locale }) {
      const userId = requireActive(caller.user).id;
      const totals = await sumWalletLines(deps.db, userId);
      const transactions = await listWalletLines(deps.db, userId, { number: query.page, size: query.per_page }, locale);
      const totalPages = Math.max(1, Math.ceil(totals.lines / query.per_page));
      return {
        success: true,
        data: { transactions, pagination: { current: query.page, total: totals.lines, total_pages: totalPages } },
      };
    },
    async getWalletTransaction({ caller, params, locale }) {
      const line = await findWalletLine(deps.db, requireActive(caller.user).id, params.id, locale);
      if (!line) throw new Refusal('not_found');
      return { success: true, data: line };
    },
  };
}

export function reportRoutes(
  deps: ReportDeps,
): Handlers<Pick<typeof nodeEndpoints, 'reportUsage'>, unknown, { id: string }> {
  return {
    reportUsage: async ({ caller, body, request }) => await receiveUsageReport(deps, caller.id, body, request.ip),
  };
}

import { toWire } from '@raha/contract/money.ts';
import type { wallet } from '@raha/contract/public/wallet.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import { Refusal } from '../../platform/refusal.ts';
import { describeTrial } from '../accounts/describe-trial.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { readOwed } from '../payments/pay-debts.ts';
import { shownPrice } from '../pricing/price.ts';
import { requireActivated, requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { confirmSelf } from '../sessions/confirm-self.ts';
import { sumLines } from './line-tables.ts';
import { type TransferDeps, transferMoney } from './transfer-money.ts';
import { findWalletLine, listWalletLines } from './wallet-lines.ts';

type Calls = Pick<typeof wallet, 'getWallet' | 'listWalletTransactions' | 'getWalletTransaction' | 'transferMoney'>;

type Deps = TransferDeps & FactorDeps & { readonly exchangeRate: ExchangeRateSource };

export function walletRoutes(deps: Deps): Handlers<Calls, SignedInCaller, unknown> {
  return {
    async getWallet({ caller }) {
      const user = requireActive(caller.user);
      const { accounts, trial } = caller;
      const totals = await sumLines(deps.db, user.id);
      const price = await shownPrice(deps.db, deps.exchangeRate, user, deps.clock.now());
      return {
        success: true,
        data: {
          balance: toWire(accounts.walletToman + accounts.leaseToman),
          reserved: toWire(accounts.leaseToman),
          owed: toWire(await readOwed(deps.db, deps, user)),
          price_per_gb: Number(price.milliToman) / 1000,
          price_is_current: price.isCurrent,
          trial: await describeTrial(deps.db, user, trial, deps.clock.now()),
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
      const page = { number: query.page, size: query.per_page };
      const { transactions, total } = await listWalletLines(deps.db, userId, page, locale);
      const totalPages = Math.max(1, Math.ceil(total / query.per_page));
      return {
        success: true,
        data: { transactions, pagination: { current: query.page, total, total_pages: totalPages } },
      };
    },
    async getWalletTransaction({ caller, params, locale }) {
      const line = await findWalletLine(deps.db, requireActive(caller.user).id, params.id, locale);
      if (!line) throw new Refusal('not_found');
      return { success: true, data: line };
    },
    async transferMoney({ body, caller, locale, request }) {
      const { user } = caller;
      requireActivated(user);
      // The key is for the transfer, with the proof or without.
      const { password, code, totp, passkey, ...asked } = body;
      const proof = { password, code, totp, passkey };
      const isProved = Object.values(proof).some((given) => given !== undefined);
      const { transferId } = await transferMoney(deps, {
        fromUserId: user.id,
        toEmail: asked.to,
        amountToman: asked.amount,
        note: asked.note,
        idempotent: idempotentRequestOf(request, user.id, asked),
        confirmOwner: isProved ? () => confirmSelf(deps, caller, proof) : undefined,
      });
      const { walletToman, leaseToman } = await getUserAccounts(deps.db, user.id);
      const balance = toWire(walletToman + leaseToman);
      const data = { transaction_id: transferId, amount: body.amount, to: body.to, balance };
      return { success: true, message: transferred[locale], data };
    },
  };
}

const transferred = { fa: 'انتقال با موفقیت انجام شد', en: 'The transfer is done.' };

import { number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import type { Wallet } from './balance-card.tsx';

export function WalletStats({ wallet }: { wallet: Wallet | undefined }) {
  const stats = wallet?.stats;
  const items = [
    { label: m.total_deposits(), value: stats && toman(stats.totalDeposits) },
    { label: m.total_withdrawals(), value: stats && toman(Math.abs(stats.totalWithdrawals)) },
    { label: m.transaction_count(), value: stats && number(stats.totalTransactions) },
  ];
  return (
    <dl className="card grid sm:grid-cols-3 [&>div+div]:border-line max-sm:[&>div+div]:border-t sm:[&>div+div]:border-s">
      {items.map(({ label, value }) => (
        <div key={label} className="px-5 sm:px-6 py-4 max-sm:flex max-sm:items-baseline max-sm:justify-between">
          <dt className="text-sm text-text-3">{label}</dt>
          <dd className="text-lg sm:text-xl font-black">
            {value ?? <div className="skeleton h-8 w-28" role="status" aria-label={m.loading()} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

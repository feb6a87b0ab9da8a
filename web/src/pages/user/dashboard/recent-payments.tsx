import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { Plus } from 'lucide-react';
import { Link } from '../../../routes/link.tsx';
import { m } from '../../../text/generated/messages.js';
import { TransactionLines } from '../wallet/transaction-views.tsx';

/** The latest movements of the wallet, four at most. */
export function RecentPayments({ lines }: { lines: readonly WalletTransaction[] }) {
  return (
    <section aria-labelledby="recent-payments" className="panel p-5 sm:p-6 min-w-0">
      <header className="flex items-center justify-between gap-3">
        <h2 id="recent-payments" className="text-base font-bold">
          {m.recent_payments()}
        </h2>
        {lines.length > 0 && (
          <Link to={paths.wallet} className="btn btn-quiet btn-sm">
            {m.view_all_transactions()}
          </Link>
        )}
      </header>
      {lines.length === 0 ? (
        <div className="grid justify-items-center gap-4 py-8 text-center">
          <p className="text-text-2">{m.transactions_empty()}</p>
          <Link to={paths.charge} className="btn btn-ghost btn-sm">
            <Plus className="size-4" aria-hidden />
            {m.charge_wallet()}
          </Link>
        </div>
      ) : (
        <TransactionLines lines={lines} />
      )}
    </section>
  );
}

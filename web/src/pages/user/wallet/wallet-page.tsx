import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { walletQuery } from '../../../api/queries.ts';
import { ActivationBanner } from '../../../components/activation-banner.tsx';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { navigate, useSearch } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { BalanceCard } from './balance-card.tsx';
import { Transactions, TransactionsSkeleton } from './transactions.tsx';
import { WalletStats } from './wallet-stats.tsx';

const Statement = lazy(() => import('./statement.tsx'));
const Invoices = lazy(() => import('./invoices.tsx'));

export default function WalletPage() {
  useTitle(m.wallet_title());
  const me = useMe();
  // Somebody may have sent money before the account was activated.
  const hasMoney = (me?.balance ?? 0) > 0;
  return (
    <>
      <PageHeading title={m.wallet_title()} />
      {!me?.isActivated && (
        <ActivationBanner text={hasMoney ? m.wallet_waits_for_activation() : m.wallet_needs_activation()} />
      )}
      {(me?.isActivated || hasMoney) && <Wallet />}
    </>
  );
}

function Wallet() {
  const wallet = useQuery(walletQuery);
  if (wallet.isError && !wallet.data) {
    return (
      <FailureCard
        title={m.wallet_failed()}
        error={wallet.error}
        busy={wallet.isFetching}
        onRetry={() => void wallet.refetch()}
      />
    );
  }
  return (
    <div className="grid gap-4 sm:gap-5">
      <BalanceCard wallet={wallet.data} />
      <WalletStats wallet={wallet.data} />
      <History />
    </div>
  );
}

/** Three ways to look at the same money: line by line, by day with what it was used for, and as documents to keep. */
function History() {
  const { view = 'transactions' } = useSearch('/user/wallet');
  const segments = [
    { value: 'transactions', label: m.transactions() },
    { value: 'statement', label: m.statement() },
    { value: 'invoices', label: m.invoices_tab() },
  ] as const;
  return (
    <div className="min-w-0">
      <SegmentedTabs
        label={m.wallet_views()}
        panelId="wallet-view"
        segments={segments}
        value={view}
        onChange={(next) =>
          void navigate({ search: next === 'transactions' ? {} : { view: next }, replace: true, resetScroll: false })
        }
      />
      <div
        role="tabpanel"
        id="wallet-view"
        className="mt-4"
        aria-label={segments.find(({ value }) => value === view)?.label}
      >
        <Suspense
          fallback={
            <section className="panel p-4 sm:p-6">
              <TransactionsSkeleton />
            </section>
          }
        >
          {view === 'statement' ? <Statement /> : view === 'invoices' ? <Invoices /> : <Transactions />}
        </Suspense>
      </div>
    </div>
  );
}

import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { transactionsQuery } from '../../../api/queries.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { Link } from '../../../routes/link.tsx';
import { useSearch } from '../../../routes/navigation.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { TransactionCards, TransactionTable } from './transaction-views.tsx';

export function Transactions() {
  const { page = 1 } = useSearch('/user/wallet');
  const transactions = useQuery(transactionsQuery(page));
  if (transactions.isError && !transactions.data) {
    return (
      <FailureCard
        title={m.transactions_failed()}
        error={transactions.error}
        busy={transactions.isFetching}
        onRetry={() => void transactions.refetch()}
      />
    );
  }
  const { data } = transactions;
  return (
    <section aria-labelledby="transactions" aria-busy={transactions.isPlaceholderData} className="panel p-4 sm:p-6">
      <h2 id="transactions" className="text-base font-bold">
        {m.transactions()}
      </h2>
      {data ? <Lines lines={data.transactions} page={page} /> : <TransactionsSkeleton />}
      {data && data.pagination.total_pages > 1 && <Pages page={page} total={data.pagination.total_pages} />}
    </section>
  );
}

function Lines({ lines, page }: { lines: readonly WalletTransaction[]; page: number }) {
  if (lines.length === 0) {
    return (
      <p className="py-10 text-center text-text-2">
        {page > 1 ? m.transactions_no_page() : m.transactions_empty()}{' '}
        {page > 1 && (
          <Link to={paths.wallet} search={{}} className="font-bold text-accent underline underline-offset-4">
            {m.first_page()}
          </Link>
        )}
      </p>
    );
  }
  return (
    <>
      <TransactionTable lines={lines} />
      <TransactionCards lines={lines} />
    </>
  );
}

function Pages({ page, total }: { page: number; total: number }) {
  return (
    <nav aria-label={m.pages()} className="flex items-center justify-between gap-3 mt-4 pt-4 border-t border-line">
      <PageLink page={page - 1} enabled={page > 1}>
        <ChevronRight className="size-4 ltr:-scale-x-100" aria-hidden />
        {m.newer()}
      </PageLink>
      <p className="text-sm text-text-2">{m.page_of({ page: number(page), total: number(total) })}</p>
      <PageLink page={page + 1} enabled={page < total}>
        {m.older()}
        <ChevronLeft className="size-4 ltr:-scale-x-100" aria-hidden />
      </PageLink>
    </nav>
  );
}

function PageLink({ page, enabled, children }: { page: number; enabled: boolean; children: React.ReactNode }) {
  if (!enabled) return <span className="btn btn-sm invisible">{children}</span>;
  return (
    <Link to={paths.wallet} search={page > 1 ? { page } : {}} resetScroll={false} className="btn btn-ghost btn-sm">
      {children}
    </Link>
  );
}

export function TransactionsSkeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="grid gap-3 mt-4">
      {[0, 1, 2, 3, 4].map((index) => (
        <div key={index} className="skeleton h-11" />
      ))}
    </div>
  );
}

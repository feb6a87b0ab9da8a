import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { Plus, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { Link } from '../../../routes/link.tsx';
import { m } from '../../../text/generated/messages.js';
import { noFilter, type PaymentFilter, PaymentFilters } from './payment-filters.tsx';
import { PaymentList } from './payment-list.tsx';
import { paymentsQuery } from './payment-queries.ts';
import { PaymentStats } from './payment-stats.tsx';

const PaymentDialog = lazy(() => import('./payment-dialog.tsx'));

export default function PaymentsPage() {
  useTitle(m.payments_title());
  const me = useMe();
  const [filter, setFilter] = useState<PaymentFilter>(noFilter);
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<PaymentRecord>();
  const payments = useQuery(paymentsQuery(filter, page));
  // An answer may come when its dialog is closed already; that opens nothing.
  const replace = (next: PaymentRecord) => setOpen((now) => (now?.id === next.id ? next : now));
  const change = (next: PaymentFilter) => {
    setFilter(next);
    setPage(1);
  };
  // What the dialog shows follows the list, so that a refund is seen where it was asked for.
  const shown = open && (payments.data?.payments.find(({ id }) => id === open.id) ?? open);
  return (
    <>
      <PageHeading title={m.payments_title()} text={m.payments_text()}>
        {me?.isActivated && (
          <Link to={paths.charge} search={{}} className="btn btn-primary btn-sm">
            <Plus className="size-4" aria-hidden />
            {m.charge_wallet()}
          </Link>
        )}
      </PageHeading>
      {isSignedOut(payments.error) && <SignedOut />}
      <div className="grid gap-4 sm:gap-5">
        <PaymentStats />
        <PaymentFilters filter={filter} onChange={change} />
        {payments.isError && !payments.data ? (
          <FailureCard
            title={m.payments_failed()}
            error={payments.error}
            busy={payments.isFetching}
            onRetry={() => void payments.refetch()}
          />
        ) : (
          <PaymentList
            page={payments.data}
            stale={payments.isPlaceholderData}
            filtered={filter !== noFilter}
            onOpen={setOpen}
            onPage={setPage}
            onClear={() => change(noFilter)}
          />
        )}
      </div>
      <Suspense>
        {shown && (
          <PaymentDialog key={shown.id} payment={shown} onChange={replace} onClose={() => setOpen(undefined)} />
        )}
      </Suspense>
    </>
  );
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

function SignedOut() {
  return (
    <section
      role="alert"
      className="rounded-lg bg-danger-soft px-4 sm:px-5 py-4 mb-5 flex flex-wrap items-center gap-4"
    >
      <TriangleAlert className="size-6 shrink-0 text-danger" aria-hidden />
      <p className="flex-1 min-w-60 font-medium">{m.session_over()}</p>
      <a href={paths.signIn} className="btn btn-ghost btn-sm">
        {m.sign_in()}
      </a>
    </section>
  );
}

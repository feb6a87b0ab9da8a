import type { InvoiceRecord } from '@raha/contract/public/invoices.ts';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { date, signedNumber, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { fetchFile } from '../shared/save-file.ts';
import { invoicesQuery } from './invoice-queries.ts';
import { TransactionsSkeleton } from './transactions.tsx';

/** Documents to keep: receipts, invoices and what takes them back, each as a file. */
export default function Invoices() {
  /** Where each page that was turned over begins. */
  const [turned, setTurned] = useState<readonly string[]>([]);
  const invoices = useQuery(invoicesQuery(turned.at(-1)));
  if (invoices.isError && !invoices.data) {
    return (
      <FailureCard
        title={m.invoices_failed()}
        error={invoices.error}
        busy={invoices.isFetching}
        onRetry={() => void invoices.refetch()}
      />
    );
  }
  const { data } = invoices;
  const next = data?.next ?? undefined;
  return (
    <section aria-labelledby="invoices" aria-busy={invoices.isPlaceholderData} className="panel p-4 sm:p-6">
      <h2 id="invoices" className="text-base font-bold">
        {m.invoices()}
      </h2>
      <p className="text-sm text-text-2">{m.invoices_text()}</p>
      {data ? <List invoices={data.invoices} /> : <TransactionsSkeleton />}
      {(turned.length > 0 || next) && (
        <nav aria-label={m.pages()} className="flex items-center justify-between gap-3 mt-4 pt-4 border-t border-line">
          <Turn enabled={turned.length > 0} onClick={() => setTurned(turned.slice(0, -1))}>
            <ChevronRight className="size-4 ltr:-scale-x-100" aria-hidden />
            {m.newer()}
          </Turn>
          <Turn enabled={next !== undefined} onClick={() => next !== undefined && setTurned([...turned, next])}>
            {m.older()}
            <ChevronLeft className="size-4 ltr:-scale-x-100" aria-hidden />
          </Turn>
        </nav>
      )}
    </section>
  );
}

function Turn({ enabled, onClick, children }: { enabled: boolean; onClick(): void; children: React.ReactNode }) {
  if (!enabled) return <span className="btn btn-sm invisible">{children}</span>;
  return (
    <button type="button" className="btn btn-ghost btn-sm" onClick={onClick}>
      {children}
    </button>
  );
}

function List({ invoices }: { invoices: readonly InvoiceRecord[] }) {
  if (invoices.length === 0) return <p className="py-10 text-center text-text-2">{m.invoices_empty()}</p>;
  return (
    <ul className="mt-3">
      {invoices.map((invoice) => (
        <li
          key={invoice.id}
          className="border-t border-line first:border-t-0 py-3.5 flex items-center gap-x-4 gap-y-1 text-sm"
        >
          <div className="flex-1 min-w-0 sm:flex sm:items-baseline sm:gap-x-6">
            <div className="min-w-0 sm:flex-1 [overflow-wrap:anywhere]">
              <span className="font-medium">{invoice.title}</span>
              <span className="block text-xs text-text-3">
                <bdi>{invoice.description}</bdi>
                {invoice.corrects && (
                  <>
                    {' · '}
                    {m.invoice_corrects()} <DocumentNumber>{invoice.corrects}</DocumentNumber>
                  </>
                )}
              </span>
            </div>
            <p className="text-xs text-text-3 sm:w-44 max-sm:mt-1">
              <DocumentNumber>{invoice.number}</DocumentNumber>{' '}
              <time dateTime={invoice.issued_at} className="sm:block whitespace-nowrap">
                {date(invoice.issued_at)}
              </time>
            </p>
            <p className="num sm:text-end sm:w-40 max-sm:mt-1">
              <Amount {...invoice} />
              {invoice.vat !== 0 && (
                <span className="block text-xs text-text-3">
                  {m.invoice_vat({ amount: toman(Math.abs(invoice.vat)) })}
                </span>
              )}
            </p>
          </div>
          <Save invoice={invoice} />
        </li>
      ))}
    </ul>
  );
}

function DocumentNumber({ children }: { children: string }) {
  return (
    <bdi dir="ltr" className="font-code whitespace-nowrap">
      {children}
    </bdi>
  );
}

/** What goes back is marked; what was paid needs no sign. */
function Amount({ amount }: { amount: number }) {
  if (amount >= 0) return <span className="font-bold">{toman(amount)}</span>;
  return (
    <span className="font-bold">
      <bdi>{signedNumber(amount)}</bdi> {m.toman_unit()}
    </span>
  );
}

function Save({ invoice }: { invoice: InvoiceRecord }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await fetchFile(`raha-${invoice.number}.pdf`, invoice.file_url, 'application/pdf');
      toast(m.invoice_saved());
    } catch (error) {
      toast(errorSentence(error), 'problem');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      className="btn btn-ghost btn-sm shrink-0"
      busy={busy}
      aria-label={m.invoice_download_of({ title: invoice.title, number: invoice.number })}
      onClick={() => void save()}
    >
      <Download className="size-4" aria-hidden />
      <span className="max-sm:sr-only">{m.invoice_download()}</span>
    </Button>
  );
}

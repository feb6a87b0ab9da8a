import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { PagesNav } from '../../../components/pages-nav.tsx';
import { date, dateTime, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { PaymentBadge } from './payment-badge.tsx';
import { types } from './payment-words.ts';

interface Page {
  readonly payments: readonly PaymentRecord[];
  readonly pagination: { readonly page: number; readonly total_pages: number };
}

interface PaymentListProps {
  page: Page | undefined;
  /** While another page is on its way the last one stays. */
  stale: boolean;
  filtered: boolean;
  onOpen(payment: PaymentRecord): void;
  onPage(page: number): void;
  onClear(): void;
}

export function PaymentList({ page, stale, filtered, onOpen, onPage, onClear }: PaymentListProps) {
  return (
    <section aria-label={m.payments_title()} aria-busy={stale} className="panel p-4 sm:p-6">
      {!page && <Skeleton />}
      {page?.payments.length === 0 && <Empty filtered={filtered} onClear={onClear} />}
      {page && page.payments.length > 0 && (
        <>
          <Table payments={page.payments} onOpen={onOpen} />
          <Cards payments={page.payments} onOpen={onOpen} />
        </>
      )}
      {page && <PagesNav {...page.pagination} onPage={onPage} />}
    </section>
  );
}

interface ViewProps {
  payments: readonly PaymentRecord[];
  onOpen(payment: PaymentRecord): void;
}

function Table({ payments, onOpen }: ViewProps) {
  const heads = [
    m.column_number(),
    m.column_date(),
    m.column_type(),
    m.column_amount(),
    m.column_gateway(),
    m.column_status(),
  ];
  return (
    <table className="w-full text-sm max-lg:hidden">
      <thead>
        <tr className="text-xs text-text-3">
          {heads.map((head) => (
            <th key={head} scope="col" className="font-medium text-start py-2 pe-4">
              {head}
            </th>
          ))}
          <th scope="col" className="py-2">
            <span className="sr-only">{m.column_actions()}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {payments.map((payment) => (
          <tr key={payment.id} className="border-t border-line">
            <td className="py-3 pe-4">
              <ShortNumber payment={payment} />
            </td>
            <td className="py-3 pe-4 text-text-2 whitespace-nowrap">
              <time dateTime={payment.created_at}>{dateTime(payment.created_at)}</time>
            </td>
            <td className="py-3 pe-4">{types[payment.type]()}</td>
            <td className="py-3 pe-4 font-bold whitespace-nowrap">{toman(payment.amount)}</td>
            <td className="py-3 pe-4 whitespace-nowrap">
              <bdi>{payment.paymentMethod.title}</bdi>
            </td>
            <td className="py-3 pe-4">
              <PaymentBadge payment={payment} />
              <Refundable payment={payment} />
            </td>
            <td className="py-1.5 text-end">
              <Details payment={payment} onOpen={onOpen} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ payments, onOpen }: ViewProps) {
  return (
    <ul className="lg:hidden">
      {payments.map((payment) => (
        <li key={payment.id} className="py-3.5 [&+&]:border-t border-line">
          <div className="flex items-start justify-between gap-4">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{payment.description}</span>
            <span className="font-bold shrink-0">{toman(payment.amount)}</span>
          </div>
          <div className="flex items-end justify-between gap-4 mt-2">
            <div className="grid justify-items-start gap-1.5 text-xs text-text-3">
              <PaymentBadge payment={payment} />
              <Refundable payment={payment} />
              <span>
                <time dateTime={payment.created_at}>{dateTime(payment.created_at)}</time>{' '}
                <ShortNumber payment={payment} />
              </span>
            </div>
            <Details payment={payment} onOpen={onOpen} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Details({ payment, onOpen }: { payment: PaymentRecord; onOpen(payment: PaymentRecord): void }) {
  return (
    <button
      type="button"
      className="btn btn-ghost btn-sm"
      aria-label={m.details_of({ description: payment.description, date: dateTime(payment.created_at) })}
      onClick={() => onOpen(payment)}
    >
      {m.details()}
    </button>
  );
}

/** What can come back and until when, before anything is opened. */
function Refundable({ payment: { refundable_amount: amount, refundable_until: until } }: { payment: PaymentRecord }) {
  if (until === null) return null;
  return (
    <span className="block text-xs text-text-3 mt-1">
      {m.refundable_until({ amount: toman(amount), date: date(until) })}
    </span>
  );
}

/** The end of the number is what tells payments apart; the whole stands in the details. */
function ShortNumber({ payment }: { payment: PaymentRecord }) {
  return (
    <bdi dir="ltr" className="font-code text-xs text-text-3" title={payment.id}>
      …{payment.id.slice(-8)}
    </bdi>
  );
}

function Empty({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  return (
    <div className="py-10 grid justify-items-center gap-4 text-center text-text-2">
      <p>{filtered ? m.payments_none_found() : m.payments_empty()}</p>
      {filtered && (
        <button type="button" className="btn btn-ghost btn-sm" onClick={onClear}>
          {m.clear_filters()}
        </button>
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="grid gap-3">
      {[0, 1, 2, 3, 4].map((index) => (
        <div key={index} className="skeleton h-12" />
      ))}
    </div>
  );
}

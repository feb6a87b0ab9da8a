import { useQuery } from '@tanstack/react-query';
import { number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { paymentStatsQuery } from './payment-queries.ts';

export function PaymentStats() {
  const { data, isError } = useQuery(paymentStatsQuery);
  // The list below says what is wrong; four empty cards would only repeat it.
  if (isError && !data) return null;
  const items = [
    { label: m.payment_completed(), value: data && number(data.successfulPayments) },
    { label: m.payment_pending(), value: data && number(data.pendingPayments) },
    { label: m.payment_failed(), value: data && number(data.failedPayments) },
    { label: m.payments_total(), value: data && toman(data.totalAmount) },
    { label: m.payments_purchases(), value: data && toman(data.totalPurchases) },
  ];
  return (
    <dl className="card grid grid-cols-3 sm:grid-cols-5 [&>div+div]:border-line sm:[&>div+div]:border-s">
      {items.map(({ label, value }, index) => (
        <div key={label} className={`px-4 sm:px-6 py-4 ${index > 2 ? 'max-sm:col-span-3 max-sm:border-t' : ''}`}>
          <dt className="text-sm text-text-3">{label}</dt>
          <dd className="text-lg sm:text-xl font-black">
            {value ?? <div className="skeleton h-8 w-16" role="status" aria-label={m.loading()} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

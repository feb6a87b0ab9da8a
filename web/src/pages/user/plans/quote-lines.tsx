import type { Quote } from '@raha/contract/public/subscriptions.ts';
import { toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

/** Price, what is left of the present plan, and what is to be paid. */
export function QuoteLines({ quote }: { quote: Quote }) {
  const { price, credit, due, wallet } = quote;
  return (
    <dl className="rounded-md bg-surface-2 px-4 py-2 text-sm [&>div+div]:border-t [&>div+div]:border-line">
      <Line label={m.quote_price()} value={toman(price)} />
      {credit > 0 && <Line label={m.quote_credit()} value={`\u200e−${toman(credit)}`} />}
      <Line label={due < 0 ? m.quote_back() : m.quote_due()} value={toman(Math.abs(due))} isStrong />
      <Line label={m.quote_wallet()} value={toman(wallet)} />
    </dl>
  );
}

function Line({ label, value, isStrong = false }: { label: string; value: string; isStrong?: boolean }) {
  return (
    <div className={`flex items-baseline justify-between gap-4 py-2 ${isStrong ? 'text-base font-bold' : ''}`}>
      <dt className={isStrong ? '' : 'text-text-2'}>{label}</dt>
      <dd className="text-end">{value}</dd>
    </div>
  );
}

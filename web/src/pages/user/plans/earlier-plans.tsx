import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import { bytes, date, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

const looks: Record<Subscription['status'], { label: () => string; className: string }> = {
  scheduled: { label: m.sub_scheduled, className: 'bg-accent-soft text-accent' },
  active: { label: m.sub_active, className: 'bg-success-soft text-success' },
  used_up: { label: m.sub_used_up, className: 'bg-surface-2 text-text-2' },
  expired: { label: m.sub_expired, className: 'bg-surface-2 text-text-2' },
  cancelled: { label: m.sub_cancelled, className: 'bg-surface-2 text-text-2' },
  replaced: { label: m.sub_replaced, className: 'bg-surface-2 text-text-2' },
};

export function EarlierPlans({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  if (subscriptions.length === 0) return null;
  return (
    <section className="panel p-5 sm:p-6" aria-labelledby="earlier">
      <h2 id="earlier" className="text-base font-bold">
        {m.history_heading()}
      </h2>
      <ul className="mt-2 [&>li+li]:border-t [&>li+li]:border-line">
        {subscriptions.map(({ id, plan, status, startDate, endDate, price, traffic_used: used }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3">
            <div>
              <p className="font-semibold">
                <bdi>{plan.name}</bdi>{' '}
                <span className={`badge ${looks[status].className}`}>{looks[status].label()}</span>
              </p>
              <p className="text-sm text-text-3">{m.quote_span({ from: date(startDate), to: date(endDate) })}</p>
            </div>
            <p className="text-sm text-text-2">
              {bytes(used)} <span aria-hidden>·</span> {toman(price)}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

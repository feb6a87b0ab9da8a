import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import { Clock } from 'lucide-react';
import { bytes, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { ChargeButtons } from './charge-buttons.tsx';

interface LowCardProps {
  outlook: NonNullable<Dashboard['outlook']>;
  usual: UsualCharge | undefined;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The wallet lasts for hours only: for how many at the pace of the last day, and what a top-up makes of it. */
export default function LowCard({ outlook, usual }: LowCardProps) {
  const { hours, day_bytes, day_charged } = outlook;
  return (
    <section aria-labelledby="low" data-testid="low" className="panel p-5 sm:p-6 mb-4 sm:mb-5">
      <p className="badge bg-spark-soft text-spark-text">
        <Clock className="size-4" aria-hidden />
        {m.low_badge()}
      </p>
      <h2 id="low" className="text-2xl font-black mt-3">
        {hours < 1 ? m.low_minutes() : m.low_hours({ hours: number(hours) })}
      </h2>
      <p className="text-sm text-text-2">{m.low_text({ bytes: bytes(day_bytes) })}</p>
      <div aria-hidden className="flex gap-1 mt-3 max-w-[40rem]">
        {HOURS.map((hour) => (
          <span key={hour} className={`h-4 flex-1 rounded-full ${hour < hours ? 'bg-spark' : 'bg-surface-2'}`} />
        ))}
      </div>
      <p aria-hidden className="flex justify-between text-xs text-text-3 mt-1 max-w-[40rem]">
        <span>{m.low_now()}</span>
        <span>{m.low_day()}</span>
      </p>
      <div className="mt-4 sm:max-w-[26rem] grid gap-1">
        <ChargeButtons usual={usual} className="btn btn-primary min-h-14" otherClassName="btn btn-quiet" />
        {usual && <p className="text-sm text-text-3 text-center">{buys(usual.amount, day_charged)}</p>}
      </div>
    </section>
  );
}

function buys(amount: number, perDay: number): string {
  const days = Math.floor(amount / perDay);
  return days >= 1
    ? m.low_buys_days({ days: number(days) })
    : m.low_buys_hours({ hours: number(Math.floor((amount / perDay) * 24)) });
}

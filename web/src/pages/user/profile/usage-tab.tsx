import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { ArrowDownUp, CalendarDays, Clock, Smartphone } from 'lucide-react';
import { Link } from '../../../routes/link.tsx';
import { bytes, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

const BYTES_PER_MB = 1_000_000;

export default function UsageTab({ profile }: { profile: Profile }) {
  const figures = [
    { label: m.usage_total_traffic(), value: bytes(profile.totalTraffic * BYTES_PER_MB), icon: ArrowDownUp },
    { label: m.usage_month_traffic(), value: bytes(profile.monthlyTraffic * BYTES_PER_MB), icon: CalendarDays },
    { label: m.usage_connections(), value: number(profile.connectionsCount), icon: Smartphone },
    { label: m.usage_hours(), value: m.usage_hours_value({ hours: number(profile.connectionHours) }), icon: Clock },
  ];
  return (
    <section aria-labelledby="usage" className="panel p-4 sm:p-6">
      <h2 id="usage" className="text-base font-bold">
        {m.profile_tab_usage()}
      </h2>
      <dl className="mt-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {figures.map(({ label, value, icon: Icon }) => (
          <div key={label} className="rounded-lg bg-surface-2 px-5 py-4">
            <dt className="flex items-center gap-2 text-sm text-text-2">
              <Icon className="size-4 shrink-0" aria-hidden />
              {label}
            </dt>
            <dd className="mt-1 text-2xl font-black">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-text-3 max-w-[46rem]">{m.usage_note()}</p>
      <p className="mt-2 text-sm text-text-2">
        <Link to={paths.dashboard} className="font-bold text-accent underline underline-offset-4 inline-block py-2">
          {m.usage_by_config()}
        </Link>
      </p>
    </section>
  );
}

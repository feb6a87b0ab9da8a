import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { trafficQuery } from '../../../api/queries.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { bytes, date } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { pointsOf } from './chart-scale.ts';
import { UsageChart } from './usage-chart.tsx';
import { useResetTraffic } from './use-reset-traffic.ts';

type Period = '7d' | '30d';

/** Today's and all traffic, and the days of a week, which come with the page, or of a month. */
export function UsageCard({ week }: { readonly week: Pick<Dashboard, 'quickStats' | 'charts'> }) {
  const [period, setPeriod] = useState<Period>('7d');
  const month = useQuery({ ...trafficQuery, enabled: period === '30d' });
  const { reset, busy } = useResetTraffic();
  const failed = period === '30d' && month.isError && !month.data;
  const data =
    period === '30d'
      ? month.data
      : {
          quickStats: week.quickStats,
          trafficTrend: week.charts.trafficTrend,
          periodTraffic: week.quickStats.weeklyTraffic,
        };
  return (
    <section aria-labelledby="usage" className="panel p-5 sm:p-6 min-w-0">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 id="usage" className="text-base font-bold">
            {period === '7d' ? m.usage_week() : m.usage_month()}
          </h2>
          <p className="text-2xl font-black" data-testid="period-traffic">
            {data && bytes(data.periodTraffic)}
            {!data && !failed && <span className="skeleton inline-block h-8 w-32" />}
          </p>
        </div>
        <SegmentedTabs<Period>
          label={m.usage_period()}
          panelId="usage-chart"
          value={period}
          onChange={setPeriod}
          segments={[
            { value: '7d', label: m.week() },
            { value: '30d', label: m.month() },
          ]}
        />
      </header>
      <div id="usage-chart" role="tabpanel" aria-label={m.usage_chart_label()} className="mt-2 min-h-65">
        {failed && (
          <FailureCard
            title={m.usage_failed()}
            error={month.error}
            busy={month.isFetching}
            onRetry={() => void month.refetch()}
          />
        )}
        {data && <UsageChart key={period} points={pointsOf(data.trafficTrend)} />}
        {!data && !failed && <div className="skeleton h-65 w-full rounded-md" role="status" aria-label={m.loading()} />}
      </div>
      {data && (
        <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-3 mt-4 pt-4 border-t border-line text-sm">
          <dl className="flex flex-wrap gap-x-10 gap-y-3">
            <div>
              <dt className="text-text-3">{m.traffic_today()}</dt>
              <dd className="font-bold" data-testid="today-traffic">
                {bytes(data.quickStats.todayTraffic)}
              </dd>
            </div>
            <div>
              <dt className="text-text-3">
                {data.quickStats.since ? m.traffic_since({ date: date(data.quickStats.since) }) : m.traffic_total()}
              </dt>
              <dd className="font-bold" data-testid="total-traffic">
                {bytes(data.quickStats.totalTraffic)}
              </dd>
            </div>
          </dl>
          <Button className="btn btn-quiet btn-sm" busy={busy} onClick={reset}>
            <RotateCcw className="size-4" aria-hidden />
            {m.traffic_reset()}
          </Button>
        </div>
      )}
    </section>
  );
}

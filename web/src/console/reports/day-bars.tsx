import type { ReportSeries } from '@raha/contract/admin/reports.ts';
import { currentLocale } from '../../text/locale.ts';

interface Props {
  readonly series: ReportSeries;
  readonly from: string;
  readonly to: string;
  /** What the highest bar of all series stands for; every strip of a report has one scale. */
  readonly highest: number;
}

const DAY_MS = 86_400_000;
const HEIGHT = 40;

/** A bar for each day of a series, from zero. It has no words: its figures stand in the table below it. */
export function DayBars({ series, from, to, highest }: Props) {
  const dayOf = (day: string) => (Date.parse(day) - Date.parse(from)) / DAY_MS;
  const count = dayOf(to) + 1;
  // From right to left in Persian, as the days are read.
  const column = (day: string) => (currentLocale() === 'fa' ? count - 1 - dayOf(day) : dayOf(day));
  return (
    <svg className="c-bars" viewBox={`0 0 ${count} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {series.days.map(({ day, toman }) => {
        const height = highest > 0 ? (Math.max(0, toman) / highest) * HEIGHT : 0;
        return <rect key={day} x={column(day) + 0.1} y={HEIGHT - height} width={0.8} height={height} />;
      })}
    </svg>
  );
}

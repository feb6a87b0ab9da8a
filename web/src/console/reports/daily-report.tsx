import type { DailyReport, ReportSeries } from '@raha/contract/admin/reports.ts';
import { number, shortDay, toman } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { DayBars } from './day-bars.tsx';
import { seriesName } from './words.ts';

interface Daily {
  readonly report: DailyReport;
  readonly from: string;
  readonly to: string;
  readonly series: readonly ReportSeries[];
}

/** A strip of bars for each series, and below them every day with something in it, the newest first. */
export function DailyFigures({ data: { report, from, to, series } }: { data: Daily }) {
  const amounts = series.flatMap(({ days }) => days.map((day) => day.toman));
  const highest = Math.max(0, ...amounts);
  const used = [...new Set(series.flatMap(({ days }) => days.map(({ day }) => day)))].sort().reverse();
  return (
    <>
      <div className="c-all-series">
        {series.map((one) => (
          <section key={one.what} className="c-series">
            <h2>{seriesName(one.what)}</h2>
            <p>
              <b>{toman(one.toman)}</b>
              {one.count === null ? null : <small>{countOf(report, one.count)}</small>}
            </p>
            <DayBars series={one} from={from} to={to} highest={highest} />
          </section>
        ))}
      </div>
      <table className="c-table c-report">
        <thead>
          <tr>
            <th scope="col">{m.console_report_day()}</th>
            {series.map(({ what }) => (
              <th key={what} scope="col" className="c-number">
                {m.console_report_in_toman({ what: seriesName(what) })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.map((day) => (
            <tr key={day}>
              <th scope="row">
                <time dateTime={day}>{shortDay(day)}</time>
              </th>
              {series.map(({ what, days }) => (
                <td key={what} className="c-number">
                  <Figure value={days.find((each) => each.day === day)?.toman} label={seriesName(what)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** On a phone the head of the table is for screen readers only, so each figure says what it is. */
function Figure({ value, label }: { value: number | undefined; label: string }) {
  return (
    <>
      <span className="c-figure-label" aria-hidden="true">
        {label}
      </span>
      {value === undefined ? '–' : number(value)}
    </>
  );
}

function countOf(report: DailyReport, count: number): string {
  return report === 'takings'
    ? m.console_report_payments({ count: number(count) })
    : m.console_report_times({ count: number(count) });
}

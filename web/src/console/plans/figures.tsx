import type { PlanReportLine } from '@raha/contract/admin/reports.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Failure } from '../failure.tsx';
import { type Answered, useAnswer } from '../use-answer.ts';
import { sinceOf } from './words.ts';

/** What the plans were sold, as counted until a moment some seconds ago. */
export interface PlanFigures {
  readonly until: string;
  readonly lines: readonly PlanReportLine[];
}

export function usePlanFigures(): Answered<PlanFigures> {
  return useAnswer('plan figures', async () => (await api.getPlanReport()).data);
}

type Counts = Pick<PlanReportLine, 'sold' | 'running' | 'cancelled' | 'toman'>;

export function sumOf(lines: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => lines.reduce((total, line) => total + line[field], 0);
  return { sold: sum('sold'), running: sum('running'), cancelled: sum('cancelled'), toman: sum('toman') };
}

/** What each version of a plan was sold, the newest first; below them what names none, and all together. */
export function PlanFigureTable({ id, answer }: { id: string; answer: Answered<PlanFigures> }) {
  const { data, error, reload, isLoading } = answer;
  const lines = data?.lines.filter(({ plan }) => plan === id) ?? [];
  return (
    <section aria-labelledby="plan-figures">
      <h2 id="plan-figures" className="c-head">
        {m.console_plan_figures()}
      </h2>
      {error ? <Failure error={error} onRetry={reload} /> : null}
      {data === undefined && !error ? <p className="c-waiting">{m.console_loading()}</p> : null}
      {data && lines.length === 0 ? <p className="c-note">{m.console_plan_figures_none()}</p> : null}
      {lines.length > 0 ? <Figures lines={lines} isOld={isLoading} /> : null}
      {data ? <p className="c-note">{m.console_plan_figures_until({ date: dateTime(data.until) })}</p> : null}
    </section>
  );
}

function Figures({ lines, isOld }: { lines: readonly PlanReportLine[]; isOld: boolean }) {
  return (
    <table className="c-table c-report c-plan-figures" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_plan_version()}</th>
          {columns.map(({ name }) => (
            <th key={name()} scope="col" className="c-number">
              {name()}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.version ?? 'none'}>
            <th scope="row">
              {line.version === null ? m.console_plan_no_version() : sinceOf(line.from)}
              {line.price === null ? null : <small>{m.toman({ amount: number(line.price) })}</small>}
            </th>
            <Cells counts={line} />
          </tr>
        ))}
        {lines.length > 1 ? (
          <tr className="c-plan-all">
            <th scope="row">{m.console_plan_all_versions()}</th>
            <Cells counts={sumOf(lines)} />
          </tr>
        ) : null}
      </tbody>
    </table>
  );
}

const columns: readonly { readonly field: keyof Counts; readonly name: () => string }[] = [
  { field: 'sold', name: m.console_plan_count_sold },
  { field: 'running', name: m.console_plan_count_running },
  { field: 'cancelled', name: m.console_plan_count_cancelled },
  { field: 'toman', name: m.console_plan_brought },
];

function Cells({ counts }: { counts: Counts }) {
  return (
    <>
      {columns.map(({ field, name }) => (
        <td key={field} className="c-number">
          <Labelled label={name()}>{number(counts[field])}</Labelled>
        </td>
      ))}
    </>
  );
}

/** On a phone the head of a table is for screen readers only, so each figure says what it is. */
export function Labelled({ label, children }: { label: string; children: string }) {
  return (
    <>
      <span className="c-figure-label" aria-hidden="true">
        {label}
      </span>
      {children}
    </>
  );
}

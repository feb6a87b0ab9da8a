import type { DailyReport, NodeReportLine } from '@raha/contract/admin/reports.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { type ReactNode, useId } from 'react';
import { dateTime, number, shortDay, toman } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api, apiAddress } from '../api.ts';
import { dayBefore } from '../days.ts';
import { dollarAmount } from '../gift-cards/words.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { DailyFigures } from './daily-report.tsx';
import { liabilityNames, type Report, reportNames, reports } from './words.ts';

type Days = Awaited<ReturnType<typeof api.getDailyReport>>['data'];
type Liability = Awaited<ReturnType<typeof api.getLiability>>['data'];

/** One report at a time, each at an address of its own. */
export function ReportsScreen({ self }: ScreenProps) {
  const { path, query } = useAddress();
  const shown = reports.filter((report) => maySee(self.role, report));
  const report = shown.find((name) => name === path.split('/')[3]) ?? shown[0] ?? 'liability';
  const from = /^\d{4}-\d\d-\d\d$/.exec(query.get('from') ?? '')?.[0];
  const props = { tabs: <Tabs shown={shown} current={report} from={from} />, from };
  if (report === 'nodes') return <Nodes {...props} />;
  if (report === 'liability') return <Owed {...props} />;
  return <Daily key={report} report={report} {...props} />;
}

function maySee(role: StaffRole, report: Report): boolean {
  return isPermitted(role, report === 'nodes' ? 'fleet.margins' : 'reports.read');
}

function addressOf(report: Report, from: string | undefined): string {
  return `/admin/reports/${report}${from ? `?from=${from}` : ''}`;
}

function Tabs({ shown, current, from }: { shown: readonly Report[]; current: Report; from: string | undefined }) {
  return (
    <nav aria-label={m.console_reports()} className="c-report-tabs">
      {shown.map((report) => (
        <Link key={report} to={addressOf(report, from)} className="c-link" isCurrent={report === current}>
          {reportNames[report]()}
        </Link>
      ))}
    </nav>
  );
}

interface Props {
  readonly tabs: ReactNode;
  readonly from: string | undefined;
}

function Daily({ report, tabs, from }: Props & { report: DailyReport }) {
  const answer = useAnswer(`${report} ${from}`, async () => {
    return (await api.getDailyReport({ query: { report, ...(from ? { from } : {}) } })).data;
  });
  const { data } = answer;
  const isEmpty = data?.series.length === 0;
  return (
    <>
      <Lead title={data ? leadOf(data) : reportNames[report]()} {...(data ? { text: spanOf(data) } : {})}>
        <File path={`/admin/reports/daily.csv?report=${report}`} from={from} />
      </Lead>
      {tabs}
      <Since report={report} from={from} />
      <Reading of={answer} />
      {isEmpty ? <p className="c-note">{m.console_report_empty()}</p> : null}
      {data && !isEmpty ? <DailyFigures data={data} /> : null}
    </>
  );
}

function leadOf({ report, total }: Days): string {
  if (report === 'refunds' || total === null) return m.console_report_refunds_lead();
  return report === 'takings'
    ? m.console_report_takings_lead({ amount: toman(total) })
    : m.console_report_usage_lead({ amount: toman(total) });
}

function spanOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return m.console_report_span({ from: shortDay(from), to: shortDay(to) });
}

function Nodes({ tabs, from }: Props) {
  const answer = useAnswer(`nodes ${from}`, async () => {
    return (await api.getNodeReport({ query: from ? { from } : {} })).data;
  });
  const { data } = answer;
  const isEmpty = data?.nodes.length === 0;
  return (
    <>
      <Lead title={reportNames.nodes()} {...(data ? { text: spanOf(data) } : {})}>
        <File path="/admin/reports/nodes.csv" from={from} />
      </Lead>
      {tabs}
      <Since report="nodes" from={from} />
      <Reading of={answer} />
      {isEmpty ? <p className="c-note">{m.console_report_no_nodes()}</p> : null}
      {data && !isEmpty ? <NodeTable nodes={data.nodes} /> : null}
    </>
  );
}

function NodeTable({ nodes }: { nodes: readonly NodeReportLine[] }) {
  const columns = [
    m.console_report_gb(),
    m.console_report_charged(),
    m.console_report_cost(),
    m.console_report_margin(),
  ];
  return (
    <table className="c-table c-report">
      <thead>
        <tr>
          <th scope="col">{m.console_report_node()}</th>
          {columns.map((name) => (
            <th key={name} scope="col" className="c-number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ name, gb, charged, cost, margin }) => (
          <tr key={name}>
            <th scope="row">
              <bdi dir="ltr">{name}</bdi>
            </th>
            {[Math.round(gb * 10) / 10, charged, cost, margin].map((value, index) => (
              <td key={columns[index]} className="c-number">
                <span className="c-figure-label" aria-hidden="true">
                  {columns[index]}
                </span>
                {value === null ? '–' : number(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Owed({ tabs }: Props) {
  const answer = useAnswer('liability', async () => (await api.getLiability()).data);
  const { data } = answer;
  return (
    <>
      <Lead
        title={reportNames.liability()}
        {...(data ? { text: m.console_owed_at({ date: dateTime(data.at) }) } : {})}
      />
      {tabs}
      <Reading of={answer} />
      {data ? (
        <table className="c-table c-report">
          <thead>
            <tr>
              <th scope="col">{m.console_owed_what()}</th>
              <th scope="col" className="c-number">
                {m.console_owed_amount()}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.lines.map(({ what, toman: amount }) => (
              <tr key={what}>
                <th scope="row">
                  {liabilityNames[what]()}
                  <Remark what={what} data={data} />
                </th>
                <td className="c-number">{amount === null ? m.console_owed_no_rate() : number(amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  );
}

/** What an amount counts, where the amount alone would not say it. */
function Remark({ what, data: { cards, debtors } }: { what: string; data: Liability }) {
  if (what === 'gift_cards')
    return <small>{m.console_owed_cards({ count: number(cards.count), usd: dollarAmount(cards.usd_cents) })}</small>;
  return what === 'debts' ? <small>{m.console_owed_debtors({ count: number(debtors) })}</small> : null;
}

function File({ path, from }: { path: string; from: string | undefined }) {
  const joint = path.includes('?') ? '&' : '?';
  return (
    <a className="c-button c-as-link" href={apiAddress(`${path}${from ? `${joint}from=${from}` : ''}`)} download>
      {m.console_csv()}
    </a>
  );
}

const spans = [7, 30, 90, 365] as const;

/** The first day; the last one is today. */
function Since({ report, from }: { report: Report; from: string | undefined }) {
  const id = useId();
  const chosen = from ?? dayBefore(30);
  const isSpan = spans.some((days) => dayBefore(days) === chosen);
  return (
    <search aria-label={m.console_audit_filter()} className="c-pay-filters">
      <div className="c-field">
        <label htmlFor={id}>{m.console_pay_since()}</label>
        <select
          id={id}
          className="c-input"
          value={chosen}
          onChange={(event) => goTo(addressOf(report, event.currentTarget.value))}
        >
          {spans.map((days) => (
            <option key={days} value={dayBefore(days)}>
              {m.console_pay_days({ count: number(days) })}
            </option>
          ))}
          {isSpan ? null : <option value={chosen}>{shortDay(chosen)}</option>}
        </select>
      </div>
    </search>
  );
}

import type { BookMonth } from '@raha/contract/admin/books.ts';
import { useState } from 'react';
import { dateTime, number, shortDay } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api, apiAddress } from '../api.ts';
import { Field } from '../field.tsx';
import { Lead } from '../lead.tsx';
import { Reading } from '../reading.tsx';
import { useAnswer } from '../use-answer.ts';
import { isNameOf, monthName } from './month-name.ts';
import type { PartProps } from './part-props.ts';

/** The months of the books: each with its journal, and one that is over can be closed. */
export function MonthsPart({ tabs, maySettle }: PartProps) {
  const answer = useAnswer('months', async () => (await api.listBookMonths()).data);
  const { data, reload } = answer;
  const [closing, setClosing] = useState<BookMonth>();
  const [outcome, setOutcome] = useState('');
  const waiting = data?.months.filter((month) => month.can_be_closed).length ?? 0;
  return (
    <>
      <Lead title={waiting > 0 ? m.console_months_lead_waiting() : m.console_months_lead()} />
      {tabs}
      <Reading of={answer} outcome={outcome} />
      {data?.months.length === 0 ? <p className="c-note">{m.console_months_none()}</p> : null}
      {data && data.months.length > 0 ? (
        <MonthTable months={data.months} {...(maySettle ? { onClose: setClosing } : {})} />
      ) : null}
      {closing ? (
        <CloseMonth
          month={closing}
          onDone={() => {
            setClosing(undefined);
            setOutcome(m.console_month_closed_outcome({ month: monthName(closing) }));
            reload();
          }}
          onClose={() => setClosing(undefined)}
        />
      ) : null}
    </>
  );
}

interface TableProps {
  readonly months: readonly BookMonth[];
  /** Of those who may. */
  onClose?(month: BookMonth): void;
}

function MonthTable({ months, onClose }: TableProps) {
  return (
    <table className="c-table c-months">
      <thead>
        <tr>
          <th scope="col">{m.console_month()}</th>
          <th scope="col">{m.console_user_state()}</th>
          <th scope="col">{m.console_month_journal()}</th>
        </tr>
      </thead>
      <tbody>
        {months.map((month) => (
          <tr key={month.month}>
            <td>
              {monthName(month)}
              <small>{m.console_report_span({ from: shortDay(month.from), to: shortDay(month.to) })}</small>
            </td>
            <td>
              <Closed month={month} />
              {month.can_be_closed && onClose ? (
                <div className="c-buttons">
                  <button type="button" className="c-link" onClick={() => onClose(month)}>
                    {m.console_month_close()}
                  </button>
                </div>
              ) : null}
            </td>
            <td>
              <a className="c-link" href={apiAddress(`/admin/books/${month.month}/journal`)} download>
                {m.console_month_hledger()}
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Closed({ month: { closed } }: { month: BookMonth }) {
  if (closed === null) return <span>{m.console_month_open()}</span>;
  return (
    <span>
      {m.console_month_closed({ date: dateTime(closed.at), count: number(closed.transfers) })}
      <small>
        <bdi dir="auto">{closed.by}</bdi>
      </small>
    </span>
  );
}

interface CloseProps {
  readonly month: BookMonth;
  onDone(): void;
  onClose(): void;
}

/** For good, so the name of the month is typed. */
function CloseMonth({ month, onDone, onClose }: CloseProps) {
  const [name, setName] = useState('');
  return (
    <ActDialog
      title={m.console_month_close()}
      effect={m.console_month_close_effect()}
      button={m.console_month_close()}
      look="c-final"
      isReady={isNameOf(month, name)}
      act={(reason) => api.closeBookMonth({ params: { month: month.month }, body: { name: month.month, reason } })}
      onDone={onDone}
      onClose={onClose}
    >
      {(work) => (
        <Field
          label={m.console_month_type({ month: monthName(month) })}
          error={work.fields.name}
          dir="auto"
          autoComplete="off"
          value={name}
          onText={setName}
        />
      )}
    </ActDialog>
  );
}

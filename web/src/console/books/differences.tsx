import type { bookings, SettlementDifference } from '@raha/contract/admin/books.ts';
import { useId, useRef, useState } from 'react';
import { dateTime, number, toman } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { gatewayName } from '../payments/words.ts';
import { Reading } from '../reading.tsx';
import { useAnswer } from '../use-answer.ts';
import type { PartProps } from './part-props.ts';
import { bookingNames, bookingsOf, kindNames } from './words.ts';

const PATH = '/admin/reconcile/differences';

/** Differences between files and books, the open ones or all, and how they are resolved. */
export function DifferencesPart({ tabs, maySettle }: PartProps) {
  const { query } = useAddress();
  const after = query.get('after') ?? undefined;
  const state = query.get('state') === 'all' ? 'all' : 'open';
  const answer = useAnswer(`${state} ${after ?? ''}`, async () => {
    return (await api.listDifferences({ query: { state, ...(after === undefined ? {} : { after }) } })).data;
  });
  const { data, reload } = answer;
  const [open, setOpen] = useState<SettlementDifference>();
  const [outcome, setOutcome] = useState('');
  const addressOf = (next?: string) => {
    const words = { ...(state === 'all' ? { state } : {}), ...(next === undefined ? {} : { after: next }) };
    const text = new URLSearchParams(words).toString();
    return text === '' ? PATH : `${PATH}?${text}`;
  };
  const next = data?.next;
  return (
    <>
      <Lead title={m.console_reconcile_differences()} text={m.console_differences_text()} />
      {tabs}
      <State state={state} />
      <Reading of={answer} outcome={outcome} />
      {data?.differences.length === 0 ? <p className="c-note">{m.console_differences_none()}</p> : null}
      {data && data.differences.length > 0 ? (
        <DifferenceTable differences={data.differences} {...(maySettle ? { onResolve: setOpen } : {})} />
      ) : null}
      <PageButtons
        onNewest={after === undefined ? undefined : () => goTo(addressOf())}
        onOlder={next ? () => goTo(addressOf(next)) : undefined}
      />
      {open ? (
        <Resolve
          difference={open}
          onDone={(sentence) => {
            setOpen(undefined);
            setOutcome(sentence);
            reload();
          }}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  );
}

function State({ state }: { state: 'open' | 'all' }) {
  const id = useId();
  return (
    <search aria-label={m.console_audit_filter()} className="c-pay-filters">
      <div className="c-field">
        <label htmlFor={id}>{m.console_user_state()}</label>
        <select
          id={id}
          className="c-input"
          value={state}
          onChange={(event) => goTo(event.currentTarget.value === 'all' ? `${PATH}?state=all` : PATH)}
        >
          <option value="open">{m.console_differences_open()}</option>
          <option value="all">{m.console_differences_all()}</option>
        </select>
      </div>
    </search>
  );
}

interface TableProps {
  readonly differences: readonly SettlementDifference[];
  /** Of those who may. */
  onResolve?(difference: SettlementDifference): void;
}

function DifferenceTable({ differences, onResolve }: TableProps) {
  return (
    <table className="c-table c-differences">
      <thead>
        <tr>
          <th scope="col">{m.console_difference_what()}</th>
          <th scope="col" className="c-number">
            {m.console_difference_amount()}
          </th>
          <th scope="col">{m.console_difference_where()}</th>
          <th scope="col">{m.console_user_state()}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map((row) => (
          <tr key={row.id} className={row.state === 'open' ? '' : 'c-quiet'}>
            <td>
              {kindNames[row.kind]()}
              <small>
                {gatewayName(row.gateway)} · <time dateTime={row.opened_at}>{dateTime(row.opened_at)}</time>
              </small>
            </td>
            <td className="c-number">{row.toman === null ? '–' : number(row.toman)}</td>
            <td>
              <Where difference={row} />
            </td>
            <td>
              <Closed difference={row} />
              {row.state === 'open' && onResolve ? (
                <div className="c-buttons">
                  <button type="button" className="c-link" onClick={() => onResolve(row)}>
                    {m.console_resolve()}
                  </button>
                </div>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Where({ difference: { line, payment } }: { difference: SettlementDifference }) {
  return (
    <>
      {line ? (
        <span>
          <bdi>{line.file}</bdi> {m.console_difference_line({ number: number(line.number) })}
          {line.reference === null ? null : (
            <>
              {' '}
              <bdi dir="ltr" className="c-code">
                {line.reference}
              </bdi>
            </>
          )}
        </span>
      ) : null}
      {payment === null ? null : <Link to={`/admin/payments/${payment}`}>{m.console_difference_payment()}</Link>}
    </>
  );
}

function Closed({ difference: { state, by, reason } }: { difference: SettlementDifference }) {
  if (state === 'open') return <span>{m.console_difference_open()}</span>;
  if (state === 'solved') return <span>{m.console_difference_solved()}</span>;
  return (
    <span>
      {reason}
      <small>
        <bdi dir="auto">{by}</bdi>
      </small>
    </span>
  );
}

interface ResolveProps {
  readonly difference: SettlementDifference;
  onDone(sentence: string): void;
  onClose(): void;
}

function Resolve({ difference, onDone, onClose }: ResolveProps) {
  const id = useId();
  const possible = bookingsOf(difference);
  const [book, setBook] = useState<(typeof bookings)[number]>('nothing');
  const sentence = useRef('');
  const act = async (reason: string) => {
    const { data } = await api.resolveDifference({ params: { id: difference.id }, body: { book, reason } });
    const booked = { bank: number(data.bank), fee: number(data.fee), difference: number(data.difference) };
    sentence.current = book === 'nothing' ? m.console_resolved() : m.console_resolved_booked(booked);
  };
  return (
    <ActDialog
      title={m.console_resolve()}
      effect={m.console_resolve_effect({
        what: kindNames[difference.kind](),
        amount: difference.toman === null ? '–' : toman(difference.toman),
      })}
      button={m.console_resolve()}
      act={act}
      onDone={() => onDone(sentence.current)}
      onClose={onClose}
    >
      {() => (
        <div className="c-field">
          <label htmlFor={id}>{m.console_resolve_how()}</label>
          <select
            id={id}
            className="c-input"
            value={book}
            onChange={(event) => setBook(event.currentTarget.value as typeof book)}
          >
            {possible.map((name) => (
              <option key={name} value={name}>
                {bookingNames[name]()}
              </option>
            ))}
          </select>
        </div>
      )}
    </ActDialog>
  );
}

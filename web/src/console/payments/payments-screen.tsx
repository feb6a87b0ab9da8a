import { type PaymentGroup, type PaymentLine, paymentGroups } from '@raha/contract/admin/payments.ts';
import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { useId } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api, apiAddress } from '../api.ts';
import { dayBefore } from '../days.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { StateMark } from '../mark.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { shownName } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { PaymentScreen } from './payment-screen.tsx';
import { gatewayName, groupNames, refundNames, stateNames } from './words.ts';

/** The list of payments, and one of them at an address of its own. */
export function PaymentsScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <PaymentList /> : <PaymentScreen key={id} id={id} {...props} />;
}

interface Filters {
  readonly group?: PaymentGroup;
  readonly gateway?: GatewayName;
  /** The first day, of Tehran. */
  readonly from?: string;
}

function readFilters(query: URLSearchParams): Filters {
  const group = paymentGroups.find((name) => name === query.get('group'));
  const gateway = paymentGateways.find((name) => name === query.get('gateway'));
  const from = /^\d{4}-\d\d-\d\d$/.exec(query.get('from') ?? '')?.[0];
  return { ...(group ? { group } : {}), ...(gateway ? { gateway } : {}), ...(from ? { from } : {}) };
}

function queryOf(filters: Filters & { readonly before?: string }): string {
  const query = new URLSearchParams(Object.entries(filters)).toString();
  return query === '' ? '' : `?${query}`;
}

function PaymentList() {
  const { query } = useAddress();
  const filters = readFilters(query);
  const before = query.get('before') ?? undefined;
  const answer = useAnswer(query.toString(), async () => {
    return (await api.listAllPayments({ query: { ...filters, ...(before ? { before } : {}) } })).data;
  });
  const { data, isLoading } = answer;
  const show = (next: Filters & { readonly before?: string }) => goTo(`/admin/payments${queryOf(next)}`);
  const isEmpty = data?.payments.length === 0;
  const next = data?.next;
  return (
    <>
      <Lead
        title={data ? leadOf(data.waiting.payments) : m.console_payments()}
        {...(isEmpty ? { text: query.size > 0 ? m.console_pay_none_fit() : m.console_pay_empty() } : {})}
      >
        <a className="c-button c-as-link" href={apiAddress(`/admin/payments.csv${queryOf(filters)}`)} download>
          {m.console_csv()}
        </a>
      </Lead>
      <PaymentFilters filters={filters} waiting={data?.waiting.payments ?? 0} onShow={show} />
      <Reading of={answer} />
      {data && !isEmpty ? <PaymentTable payments={data.payments} isOld={isLoading} /> : null}
      <PageButtons
        onNewest={before ? () => show(filters) : undefined}
        onOlder={next ? () => show({ ...filters, before: next }) : undefined}
      />
    </>
  );
}

function leadOf(waiting: number): string {
  return waiting === 0 ? m.console_pay_lead_none() : m.console_pay_lead({ count: number(waiting) });
}

interface FilterProps {
  readonly filters: Filters;
  readonly waiting: number;
  onShow(filters: Filters): void;
}

/** Since today, or so many days ago. */
const spans = [1, 7, 30, 90] as const;

function PaymentFilters({ filters, waiting, onShow }: FilterProps) {
  const id = useId();
  const { group, ...others } = filters;
  const { gateway: _gateway, ...withoutGateway } = filters;
  const { from: _from, ...withoutFrom } = filters;
  const isSpan = spans.some((days) => dayBefore(days) === filters.from);
  return (
    <search aria-label={m.console_audit_filter()} className="c-pay-filters">
      <div className="c-tabs">
        {[undefined, ...paymentGroups].map((name) => (
          <button
            key={name ?? 'all'}
            type="button"
            aria-pressed={group === name}
            onClick={() => onShow(name ? { ...others, group: name } : others)}
          >
            {name ? groupNames[name]() : m.console_timeline_all()}
            {name === 'waiting' && waiting > 0 ? <b>{number(waiting)}</b> : null}
          </button>
        ))}
      </div>
      <div className="c-field">
        <label htmlFor={`${id}-gateway`}>{m.console_pay_gateway()}</label>
        <select
          id={`${id}-gateway`}
          className="c-input"
          value={filters.gateway ?? ''}
          onChange={(event) => {
            const gateway = paymentGateways.find((name) => name === event.currentTarget.value);
            onShow(gateway ? { ...filters, gateway } : withoutGateway);
          }}
        >
          <option value="">{m.console_timeline_all()}</option>
          {paymentGateways.map((name) => (
            <option key={name} value={name}>
              {gatewayName(name)}
            </option>
          ))}
        </select>
      </div>
      <div className="c-field">
        <label htmlFor={`${id}-from`}>{m.console_pay_since()}</label>
        <select
          id={`${id}-from`}
          className="c-input"
          value={filters.from ?? ''}
          onChange={(event) => {
            const from = event.currentTarget.value;
            onShow(from === '' ? withoutFrom : { ...filters, from });
          }}
        >
          <option value="">{m.console_pay_always()}</option>
          {spans.map((days) => (
            <option key={days} value={dayBefore(days)}>
              {days === 1 ? m.console_pay_today() : m.console_pay_days({ count: number(days) })}
            </option>
          ))}
          {filters.from && !isSpan ? <option value={filters.from}>{filters.from}</option> : null}
        </select>
      </div>
    </search>
  );
}

function PaymentTable({ payments, isOld }: { payments: readonly PaymentLine[]; isOld: boolean }) {
  return (
    <table className="c-table c-payments" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_audit_when()}</th>
          <th scope="col">{m.console_correction_user()}</th>
          <th scope="col">{m.console_pay_gateway()}</th>
          <th scope="col" className="c-number">
            {m.console_correction_amount()}
          </th>
          <th scope="col">{m.console_user_state()}</th>
        </tr>
      </thead>
      <tbody>
        {payments.map((payment) => (
          <tr key={payment.id}>
            <td>
              <Link to={`/admin/payments/${payment.id}`} className="c-link">
                <time dateTime={payment.created_at}>{dateTime(payment.created_at)}</time>
              </Link>
            </td>
            <td>
              {shownName(payment.user)}
              <small>
                <LongWord word={payment.user.email} />
              </small>
            </td>
            <td>{gatewayName(payment.gateway)}</td>
            <td className="c-number">{number(payment.amount)}</td>
            <td>
              <PaymentState payment={payment} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is as it should be has no mark. */
export function PaymentState({ payment }: { payment: PaymentLine }) {
  if (payment.waits)
    return (
      <span className="c-state">
        <StateMark tone="act" />
        {m.console_pay_waits()}
      </span>
    );
  if (payment.reversed)
    return (
      <span className="c-state">
        <StateMark tone="look" />
        {m.console_pay_reversed()}
      </span>
    );
  if (payment.refund !== null && payment.refund !== 'failed')
    return (
      <span className="c-state">
        {payment.refund === 'confirmed' ? null : <StateMark tone={payment.refund === 'unknown' ? 'look' : 'planned'} />}
        {refundNames[payment.refund]()}
      </span>
    );
  return <span className={payment.state === 'completed' ? '' : 'c-quiet'}>{stateNames[payment.state]()}</span>;
}

import type { BankAnswer, PaymentFacts } from '@raha/contract/admin/payments.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, duration, number, signedNumber } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { isolated, shownName } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { CreditProposed } from './credit-proposed.tsx';
import { PaymentActs } from './payment-acts.tsx';
import { RefundTable } from './refund-table.tsx';
import { findingOf, gatewayName, reasonOf, stateNames } from './words.ts';

/** One payment: what is known in a sentence, the books beside the bank’s answer, what moved, and what one may do. */
export function PaymentScreen({ id, self }: ScreenProps & { id: string }) {
  const answer = useAnswer(id, async () => (await api.getPaymentFacts({ params: { id } })).data);
  const { data, reload } = answer;
  const [outcome, setOutcome] = useState('');
  if (!data) return <Reading of={answer} />;
  const done = (sentence: string) => {
    setOutcome(sentence);
    reload();
  };
  return (
    <>
      <Lead title={findingOf(data)} text={summaryOf(data)} />
      <p className="c-contact">
        <Link to={`/admin/people/${data.user.id}`} className="c-link">
          {shownName(data.user)}
        </Link>
        <bdi dir="ltr">{data.user.email}</bdi>
        <bdi dir="ltr" className="c-code">
          {data.id}
        </bdi>
      </p>
      <Reading of={answer} outcome={outcome} />
      {data.credit_proposal === null ? null : <CreditProposed proposal={data.credit_proposal} role={self.role} />}
      {isPermitted(self.role, 'payments.settle') ? <PaymentActs payment={data} onDone={done} /> : null}
      <div className="c-beside">
        <Ours payment={data} />
        <Answers payment={data} />
      </div>
      {data.refunds.length > 0 ? (
        <section aria-labelledby="payment-refunds">
          <h2 id="payment-refunds" className="c-head">
            {m.console_refunds()}
          </h2>
          <RefundTable refunds={data.refunds} role={self.role} onDone={done} />
        </section>
      ) : null}
      <Moved payment={data} />
      <p className="c-note">{m.console_user_seen_text()}</p>
    </>
  );
}

function summaryOf({ amount, gateway, waits, created_at }: PaymentFacts): string {
  const sum = m.console_pay_summary({ amount: number(amount), gateway: gatewayName(gateway) });
  if (!waits) return sum;
  return `${sum} ${m.console_pay_since_long({ time: duration((now() - Date.parse(created_at)) / 1000) })}`;
}

function Ours({ payment }: { payment: PaymentFacts }) {
  const code = (value: string | null) =>
    value === null ? (
      <span className="c-quiet">{m.console_pay_has_none()}</span>
    ) : (
      <bdi dir="ltr" className="c-code">
        {value}
      </bdi>
    );
  return (
    <section aria-labelledby="payment-ours">
      <h2 id="payment-ours" className="c-head">
        {m.console_pay_ours()}
      </h2>
      <dl className="c-facts">
        <dt>{m.console_user_state()}</dt>
        <dd>{stateNames[payment.state]()}</dd>
        <dt>{m.console_pay_amount()}</dt>
        <dd>
          {m.toman({ amount: number(payment.amount) })}
          <small>{m.console_pay_rial({ amount: number(payment.amount * 10) })}</small>
        </dd>
        <dt>{m.console_pay_gateway_reference()}</dt>
        <dd>{code(payment.gateway_reference)}</dd>
        <dt>{m.console_pay_bank_reference()}</dt>
        <dd>{code(payment.bank_reference)}</dd>
        <dt>{m.console_pay_card()}</dt>
        <dd>{code(payment.card)}</dd>
        <dt>{m.console_pay_began()}</dt>
        <dd>{dateTime(payment.created_at)}</dd>
        <dt>{m.console_pay_settled()}</dt>
        <dd>{payment.settled_at === null ? '–' : dateTime(payment.settled_at)}</dd>
        <dt>{m.console_pay_checks()}</dt>
        <dd>
          {number(payment.checks)}
          {payment.next_check_at === null ? null : (
            <small>{m.console_pay_next_check({ time: dateTime(payment.next_check_at) })}</small>
          )}
        </dd>
        {payment.reversal === null ? null : (
          <>
            <dt>{m.console_pay_reversed()}</dt>
            <dd>
              {m.console_pay_reversal({ date: dateTime(payment.reversal.at), owed: number(payment.reversal.owed) })}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** What the bank answered, as it came; then what operators found. */
function Answers({ payment: { answers, verdicts, gateway } }: { payment: PaymentFacts }) {
  return (
    <section aria-labelledby="payment-bank">
      <h2 id="payment-bank" className="c-head">
        {m.console_pay_theirs({ gateway: gatewayName(gateway) })}
      </h2>
      {answers.length === 0 ? <p className="c-note">{m.console_pay_no_answer()}</p> : null}
      {answers.map((answer, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers have no names, and only ever grow at the end
        <Answer key={at} answer={answer} />
      ))}
      {verdicts.map(({ by, note }) => (
        <p key={`${by} ${note}`} className="c-note">
          {m.console_pay_verdict({ by: isolated(by) })} <q>{note}</q>
        </p>
      ))}
    </section>
  );
}

function Answer({ answer: { why, fields, hidden } }: { answer: BankAnswer }) {
  return (
    <>
      {why === null ? null : <p className="c-note">{reasonOf(why)}</p>}
      {fields.length > 0 ? (
        <dl className="c-facts c-answer">
          {fields.map(({ name, value }) => (
            <div key={name}>
              <dt>
                <bdi dir="ltr" className="c-code">
                  {name}
                </bdi>
              </dt>
              <dd>
                <bdi dir="ltr" className="c-code">
                  {value}
                </bdi>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {hidden > 0 ? <p className="c-note">{m.console_pay_hidden({ count: number(hidden) })}</p> : null}
    </>
  );
}

/** Its transfers in the ledger, and the lines of the bank’s files that settle it. */
function Moved({ payment: { transfers, settlements } }: { payment: PaymentFacts }) {
  return (
    <section aria-labelledby="payment-moved">
      <h2 id="payment-moved" className="c-head">
        {m.console_pay_moved()}
      </h2>
      {transfers.length === 0 ? <p className="c-note">{m.console_pay_moved_nothing()}</p> : null}
      <ol className="c-timeline">
        {transfers.map(({ id, kind, purpose, at, entries }) => (
          <li key={id} className="c-transfer">
            <time dateTime={at}>{dateTime(at)}</time>
            <bdi dir="ltr" className="c-code">
              {`${kind} ${purpose}`}
            </bdi>
            {entries.map(({ account, amount }) => (
              <span key={account} className="c-entry-line">
                <bdi dir="ltr" className="c-code">
                  {account}
                </bdi>
                <span className="c-number">{signedNumber(amount)}</span>
              </span>
            ))}
          </li>
        ))}
      </ol>
      {settlements.length === 0 ? (
        <p className="c-note">{m.console_pay_not_settled()}</p>
      ) : (
        settlements.map(({ kind, amount, payout, file, line, booked_at }) => (
          <p key={`${kind} ${amount}`} className="c-note">
            {m.console_pay_settlement({
              amount: signedNumber(amount),
              payout: isolated(payout),
              file: file === null ? '–' : isolated(file),
              line: line === null ? '–' : number(line),
              date: dateTime(booked_at),
            })}
          </p>
        ))
      )}
    </section>
  );
}

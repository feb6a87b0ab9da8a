import { describeAlert } from '@raha/contract/admin/alert-rules.ts';
import type { Today, WaitingItem } from '@raha/contract/admin/today.ts';
import { now } from '../api/clock.ts';
import { dateTime, duration, number, signedNumber } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { currentLocale } from '../text/locale.ts';
import { api } from './api.ts';
import { actNames } from './approvals/words.ts';
import { BulkState } from './bulks/bulk-state.tsx';
import { peopleOf, titleOf } from './bulks/words.ts';
import { troubleNames } from './fleet/words.ts';
import { Lead } from './lead.tsx';
import { Link } from './link.tsx';
import { LiveMark } from './live-mark.tsx';
import { LongWord } from './long-word.tsx';
import { StateMark } from './mark.tsx';
import { goTo } from './path.ts';
import { shownName } from './people/words.ts';
import { priceOf } from './prices/words.ts';
import { Reading } from './reading.tsx';
import { useLive } from './use-live.ts';

const LIVE_SECONDS = 15;

/** What waits for the member, and how the installation does. */
export function TodayScreen() {
  const answer = useLive('today', LIVE_SECONDS, async (options) => (await api.getToday({}, options)).data);
  const { data, at } = answer;
  const oldest = data?.waiting[0];
  return (
    <>
      <Lead title={data ? leadOf(data) : m.console_today()}>
        <div className="c-buttons">
          <LiveMark at={at} every={LIVE_SECONDS} />
          {oldest ? (
            <button type="button" className="c-button c-main" onClick={() => goTo(addressOf(oldest))}>
              {m.console_today_take()}
            </button>
          ) : null}
        </div>
      </Lead>
      <Reading of={answer} />
      {data ? (
        <div className="c-today">
          <div>
            {data.alerts.length > 0 ? <Alerts alerts={data.alerts} /> : null}
            {data.nodes && data.nodes.troubled.length > 0 ? <Troubled nodes={data.nodes} /> : null}
            {data.bulks.length > 0 ? <Bulks bulks={data.bulks} /> : null}
            <Waiting today={data} />
          </div>
          <aside aria-label={m.console_today_aside()}>
            {data.money ? <Money money={data.money} /> : null}
            <Books today={data} />
            {data.nodes ? (
              <p className="c-note">
                <Link to="/admin/nodes" className="c-link">
                  {m.console_today_nodes({ online: number(data.nodes.online), all: number(data.nodes.all) })}
                </Link>
              </p>
            ) : null}
          </aside>
        </div>
      ) : null}
    </>
  );
}

function sumOf({ payments, refunds, proposals, approvals }: Today['counts']): number {
  return payments + refunds + proposals + approvals;
}

function leadOf({ alerts, counts, waiting }: Today): string {
  const untaken = alerts.filter(({ acknowledged_at }) => acknowledged_at === null);
  const urgent = untaken.filter(({ severity }) => severity === 'page');
  if (urgent.length > 0) return m.console_today_urgent({ count: number(urgent.length) });
  const [oldest] = waiting;
  if (!oldest && untaken.length > 0) return m.console_today_untaken({ count: number(untaken.length) });
  if (!oldest) return m.console_today_nothing();
  return m.console_today_lead({ count: number(sumOf(counts)), time: ageOf(oldest.since) });
}

function ageOf(since: string): string {
  return duration(Math.max(0, now() - Date.parse(since)) / 1000);
}

function addressOf({ kind, id }: WaitingItem): string {
  return kind === 'proposal' || kind === 'approval' ? '/admin/corrections' : `/admin/payments/${id}`;
}

const kinds: Readonly<Record<WaitingItem['kind'], () => string>> = {
  payment: m.console_today_payment,
  refund: m.console_today_refund,
  proposal: m.console_today_proposal,
  approval: m.console_today_proposal,
};

function Waiting({ today: { waiting, counts } }: { today: Today }) {
  const more = sumOf(counts) - waiting.length;
  return (
    <section aria-labelledby="today-waiting">
      <h2 id="today-waiting" className="c-head">
        {m.console_today_waiting()}
      </h2>
      {waiting.length === 0 ? <p className="c-note">{m.console_today_nothing_text()}</p> : null}
      {waiting.length > 0 ? (
        <table className="c-table c-waits">
          <thead>
            <tr>
              <th scope="col">{m.console_today_what()}</th>
              <th scope="col">{m.console_correction_user()}</th>
              <th scope="col" className="c-number">
                {m.console_correction_amount()}
              </th>
              <th scope="col">{m.console_today_since()}</th>
            </tr>
          </thead>
          <tbody>
            {waiting.map((item) => (
              <tr key={`${item.kind} ${item.id}`}>
                <td>
                  <Link to={addressOf(item)} className="c-link">
                    {kinds[item.kind]()}
                  </Link>
                </td>
                <td>
                  {aboutOf(item)}
                  {item.user ? (
                    <small>
                      <LongWord word={item.user.email} />
                    </small>
                  ) : null}
                </td>
                <td className="c-number">
                  {item.amount === null ? '' : (item.kind === 'proposal' ? signedNumber : number)(item.amount)}
                </td>
                <td>
                  <time dateTime={item.since}>{ageOf(item.since)}</time>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {more > 0 ? <p className="c-note">{m.console_today_more({ count: number(more) })}</p> : null}
    </section>
  );
}

function aboutOf({ user, people, act }: WaitingItem): string {
  if (act !== null) return actNames[act]();
  return user ? shownName(user) : peopleOf(people ?? 0);
}

/** Planned, running and paused ones: until they begin they can be cancelled. */
function Bulks({ bulks }: { bulks: Today['bulks'] }) {
  return (
    <section aria-labelledby="today-bulks">
      <h2 id="today-bulks" className="c-head">
        {m.console_bulks()}
      </h2>
      <ul className="c-days">
        {bulks.map((bulk) => (
          <li key={bulk.id}>
            <Link to={`/admin/bulks/${bulk.id}`} className="c-link">
              {titleOf(bulk)}
            </Link>
            <span>
              <BulkState bulk={bulk} />
              <small>
                {m.console_bulk_so_far({ done: number(bulk.done + bulk.failed), people: number(bulk.people) })}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Alerts({ alerts }: { alerts: Today['alerts'] }) {
  return (
    <section aria-labelledby="today-alerts">
      <h2 id="today-alerts" className="c-head">
        {m.console_today_alerts()}
      </h2>
      <ul className="c-days">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <span className="c-state">
              <StateMark tone={alert.severity === 'page' ? 'act' : 'look'} />
              <Link to="/admin/alerts" className="c-link">
                {describeAlert(alert, currentLocale()).title}
              </Link>
            </span>
            <span>
              <time dateTime={alert.opened_at}>{ageOf(alert.opened_at)}</time>
              {alert.acknowledged_at === null ? null : (
                <small>
                  {alert.acknowledged_by === null ? m.console_alert_taken_machine() : m.console_alert_taken()}{' '}
                  <bdi dir="ltr">{alert.acknowledged_by}</bdi>
                </small>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Troubled({ nodes: { troubled } }: { nodes: NonNullable<Today['nodes']> }) {
  return (
    <section aria-labelledby="today-troubles">
      <h2 id="today-troubles" className="c-head">
        {m.console_today_troubles()}
      </h2>
      <ul className="c-days">
        {troubled.map(({ id, name, troubles, suspicious }) => (
          <li key={id}>
            <span className="c-state">
              <StateMark tone={suspicious || troubles.includes('silent') ? 'act' : 'look'} />
              <Link to={`/admin/nodes/${id}`} className="c-link">
                <bdi dir="ltr">{name}</bdi>
              </Link>
            </span>
            <span>
              {[
                ...(suspicious ? [m.console_node_suspicious()] : []),
                ...troubles.map((kind) => troubleNames[kind]()),
              ].join(m.console_today_and())}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Money({ money: { credited, payments, refunded, week_ago: before } }: { money: NonNullable<Today['money']> }) {
  return (
    <section aria-labelledby="today-money">
      <h2 id="today-money" className="c-head">
        {m.console_today_money()}
      </h2>
      <p className="c-sum">{m.toman({ amount: number(credited) })}</p>
      <dl className="c-pairs">
        <dt>{m.console_today_payments()}</dt>
        <dd>{number(payments)}</dd>
        <dt>{m.console_today_week_ago()}</dt>
        <dd>{m.console_today_before({ amount: number(before.credited), count: number(before.payments) })}</dd>
        <dt>{m.console_today_refunded()}</dt>
        <dd>{number(refunded)}</dd>
      </dl>
    </section>
  );
}

function Books({ today: { ledger, rate, planned_price: planned, planned_plan: plan } }: { today: Today }) {
  return (
    <section aria-labelledby="today-books">
      <h2 id="today-books" className="c-head">
        {m.console_today_books()}
      </h2>
      <dl className="c-pairs">
        <dt>{m.console_today_rate()}</dt>
        <dd>
          {rate ? (
            m.toman({ amount: number(Math.round(rate.toman)) })
          ) : (
            <span className="c-state">
              <StateMark tone="act" />
              {m.console_today_no_rate()}
            </span>
          )}
        </dd>
        {planned ? (
          <>
            <dt>{m.console_today_price()}</dt>
            <dd>
              <span className="c-state">
                <StateMark tone="planned" />
                <Link to="/admin/prices" className="c-link">
                  {priceOf(planned)}
                </Link>
              </span>
              <small>{dateTime(planned.from)}</small>
            </dd>
          </>
        ) : null}
        {plan ? (
          <>
            <dt>{m.console_today_plan()}</dt>
            <dd>
              <span className="c-state">
                <StateMark tone="planned" />
                <Link to={`/admin/plans/${plan.id}`} className="c-link">
                  {m.toman({ amount: number(plan.price) })}
                </Link>
              </span>
              <small>{dateTime(plan.from)}</small>
            </dd>
          </>
        ) : null}
        {ledger ? (
          <>
            <dt>{m.console_today_ledger()}</dt>
            <dd>
              <Ledger ledger={ledger} />
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

function Ledger({ ledger: { violations, proved_at } }: { ledger: NonNullable<Today['ledger']> }) {
  if (violations > 0)
    return (
      <span className="c-state">
        <StateMark tone="act" />
        {m.console_today_broken({ count: number(violations) })}
      </span>
    );
  if (proved_at === null) return <>{m.console_today_unproved()}</>;
  return (
    <>
      {m.console_today_proved()}
      <small>{dateTime(proved_at)}</small>
    </>
  );
}

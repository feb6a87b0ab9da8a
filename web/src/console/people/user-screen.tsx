import type { UserFacts } from '@raha/contract/admin/people.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { bytes, date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { UserDeliveries } from '../deliveries/user-deliveries.tsx';
import { Lead } from '../lead.tsx';
import { speedOf } from '../plans/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { AccountActs } from './account-acts.tsx';
import { MoneyActs } from './money-acts.tsx';
import { ShowContact } from './show-contact.tsx';
import { Timeline } from './timeline.tsx';
import { ConfigTable, ConnectionTable } from './user-tables.tsx';
import { cutSentences, isolated, shownName, statusNames } from './words.ts';

/** One user: what ails the service in a sentence, the facts, configs with why they are cut, and what happened. */
export function UserScreen({ id, self }: ScreenProps & { id: string }) {
  const answer = useAnswer(id, async () => (await api.getUserFacts({ params: { id } })).data);
  const { data, reload } = answer;
  const [isShowing, setShowing] = useState(false);
  const [outcome, setOutcome] = useState('');
  const [changes, setChanges] = useState(0);
  const done = (sentence: string) => {
    setOutcome(sentence);
    setChanges((count) => count + 1);
    reload();
  };
  if (!data) return <Reading of={answer} />;
  return (
    <>
      <Lead title={findingOf(data)} text={statusNames[data.status]()} />
      <p className="c-contact">
        <bdi dir="ltr">{data.email}</bdi>
        {data.phone === null ? null : <bdi dir="ltr">{data.phone}</bdi>}
        {isPermitted(self.role, 'people.contact') && data.status !== 'deleted' ? (
          <button type="button" className="c-link" onClick={() => setShowing(true)}>
            {m.console_user_contact()}
          </button>
        ) : null}
        <bdi dir="ltr" className="c-code">
          {data.id}
        </bdi>
      </p>
      <Reading of={answer} outcome={outcome} />
      <Facts user={data} />
      <div className="c-buttons c-acts">
        <MoneyActs user={data} role={self.role} onDone={done} />
        <AccountActs user={data} role={self.role} onChanged={() => done('')} />
      </div>
      {data.configs === null ? <p className="c-note">{m.console_user_no_configs_right()}</p> : null}
      {data.configs && data.configs.length > 0 ? <ConfigTable configs={data.configs} /> : null}
      {data.connections ? <ConnectionTable connections={data.connections} /> : null}
      <UserDeliveries id={id} role={self.role} />
      <Timeline key={changes} id={id} role={self.role} seesConfigs={data.configs !== null} onDone={done} />
      <p className="c-note">{m.console_user_seen_text()}</p>
      {isShowing ? <ShowContact id={id} onClose={() => setShowing(false)} /> : null}
    </>
  );
}

/** What is to be known first. */
function findingOf(user: UserFacts): string {
  const name = shownName(user);
  const configs = user.configs ?? [];
  const cut = configs.filter((config) => config.cut !== null);
  const [first] = cut;
  if (first?.cut) {
    const why = cutSentences[first.cut]();
    const isSame = cut.every((config) => config.cut === first.cut);
    if (cut.length === configs.length && isSame && cut.length > 1) return m.console_user_cut_all({ name, why });
    if (cut.length === 1) return m.console_user_cut_one({ config: isolated(first.name), why });
    return m.console_user_cut_some({ name, count: number(cut.length), all: number(configs.length) });
  }
  if (user.service.state === 'cut') return m.console_user_service_cut({ name });
  if (user.service.state === 'empty') return m.console_user_service_empty({ name });
  if (user.configs?.length === 0) return m.console_user_no_config({ name });
  return m.console_user_on({ name });
}

function Facts({ user }: { user: UserFacts }) {
  const { balance, plan, factors } = user;
  const speed = plan === null ? undefined : speedOf(plan);
  const ways = [
    m.console_user_email_code(),
    ...(factors.password ? [m.console_user_password()] : []),
    ...(factors.passkeys > 0 ? [m.console_user_passkeys({ count: number(factors.passkeys) })] : []),
    ...(factors.totp ? [m.console_user_totp()] : []),
    ...(factors.recovery_codes_left > 0 ? [m.console_user_codes({ count: number(factors.recovery_codes_left) })] : []),
  ];
  return (
    <dl className="c-strip">
      <div>
        <dt>{m.console_user_free()}</dt>
        <dd>
          <strong>{m.toman({ amount: number(balance.free) })}</strong>
          {balance.reserved > 0 ? <small>{m.console_user_reserved({ amount: number(balance.reserved) })}</small> : null}
          {balance.owed > 0 ? <small>{m.console_user_owed({ amount: number(balance.owed) })}</small> : null}
        </dd>
      </div>
      <div>
        <dt>{m.console_user_plan()}</dt>
        <dd>
          <strong>{plan === null ? m.console_user_no_plan() : isolated(plan.name)}</strong>
          {plan === null ? null : <small>{planTextOf(plan)}</small>}
          {speed === undefined ? null : <small>{speed}</small>}
        </dd>
      </div>
      <div>
        <dt>{m.console_user_sign_in()}</dt>
        <dd>
          <strong>{m.console_user_sessions({ count: number(user.sessions) })}</strong>
          <small>
            {user.last_seen_at === null
              ? m.console_user_never()
              : m.console_user_seen({ date: date(user.last_seen_at) })}
          </small>
        </dd>
      </div>
      <div>
        <dt>{m.console_user_factors()}</dt>
        <dd>
          {ways.map((way) => (
            <small key={way}>{way}</small>
          ))}
        </dd>
      </div>
      <div>
        <dt>{m.console_user_joined()}</dt>
        <dd>
          <strong>{date(user.joined_at)}</strong>
        </dd>
      </div>
    </dl>
  );
}

function planTextOf({ used, limit, ends_at }: NonNullable<UserFacts['plan']>): string {
  const until = date(ends_at);
  return limit === null
    ? m.console_user_plan_unlimited({ used: bytes(used), date: until })
    : m.console_user_plan_used({ used: bytes(used), limit: bytes(limit), date: until });
}

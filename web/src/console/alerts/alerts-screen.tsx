import { describeAlert } from '@raha/contract/admin/alert-rules.ts';
import type { Alert } from '@raha/contract/admin/alerts.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useEffect, useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, duration, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { StateMark } from '../mark.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { SilenceAlert, TakeAlert } from './alert-dialogs.tsx';

/** Somebody looks at it at night and does not reload: it reads itself again this often while it is seen. */
const EVERY_MS = 15_000;

type Open = { readonly act: 'take' | 'silence'; readonly alert: Alert } | undefined;

/** What is wrong with the installation now, and what was. */
export function AlertsScreen({ self }: ScreenProps) {
  const answer = useAnswer('alerts', async () => (await api.listAlerts()).data);
  const { data, reload } = answer;
  const [open, setOpen] = useState<Open>();
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const done = (sentence: string) => {
    setOpen(undefined);
    setOutcome(sentence);
    reload();
  };
  const dialog = { onDone: done, onClose: () => setOpen(undefined) };
  const mayAct = isPermitted(self.role, 'alerts.act');
  return (
    <>
      <Lead title={data ? titleFor(data.open) : m.console_alerts()} {...textFor(data?.open)} />
      <Reading of={answer} outcome={outcome} />
      {data ? (
        <ul className="c-alerts">
          {data.open.map((alert) => (
            <OpenAlert key={alert.id} alert={alert} {...(mayAct ? { onAct: (act) => setOpen({ act, alert }) } : {})} />
          ))}
        </ul>
      ) : null}
      {data && data.closed.length > 0 ? <Closed alerts={data.closed} /> : null}
      {open?.act === 'take' ? <TakeAlert alert={open.alert} {...dialog} /> : null}
      {open?.act === 'silence' ? <SilenceAlert alert={open.alert} {...dialog} /> : null}
    </>
  );
}

function titleFor(open: readonly Alert[]): string {
  const urgent = open.filter(({ severity }) => severity === 'page').length;
  if (open.length === 0) return m.console_alerts_none();
  return urgent > 0
    ? m.console_alerts_lead_urgent({ count: number(open.length), urgent: number(urgent) })
    : m.console_alerts_lead({ count: number(open.length) });
}

function textFor(open: readonly Alert[] | undefined): { text: string } | Record<string, never> {
  if (!open) return {};
  return { text: open.length === 0 ? m.console_alerts_none_text() : m.console_alerts_text() };
}

function OpenAlert({ alert, onAct }: { alert: Alert; onAct?: (act: 'take' | 'silence') => void }) {
  const { title, advice } = describeAlert(alert, currentLocale());
  const isUrgent = alert.severity === 'page';
  const takeName = alert.acknowledged_at ? m.console_alert_take_over() : m.console_alert_take();
  const age = duration(Math.max(0, (now() - Date.parse(alert.opened_at)) / 1_000));
  return (
    <li>
      <StateMark tone={isUrgent ? 'act' : 'look'} />
      <div>
        <p>
          <span className="c-unseen">{isUrgent ? m.console_alert_urgent() : m.console_alert_look()}: </span>
          <b>{title}</b>
        </p>
        <p className="c-advice">{advice}</p>
        <p className="c-by">
          <time dateTime={alert.opened_at} title={dateTime(alert.opened_at)}>
            {age}
          </time>
          <States alert={alert} />
        </p>
      </div>
      {onAct ? (
        <div className="c-buttons">
          <button
            type="button"
            className="c-link"
            aria-label={m.console_alert_act_of({ act: takeName, alert: title })}
            onClick={() => onAct('take')}
          >
            {takeName}
          </button>
          <button
            type="button"
            className="c-link"
            aria-label={m.console_alert_act_of({ act: m.console_alert_silence(), alert: title })}
            onClick={() => onAct('silence')}
          >
            {m.console_alert_silence()}
          </button>
        </div>
      ) : null}
    </li>
  );
}

/** The member it is with, and until when it is silenced. */
function States({ alert: { acknowledged_at, acknowledged_by, silenced_until } }: { alert: Alert }) {
  return (
    <>
      {acknowledged_at === null ? null : acknowledged_by === null ? (
        <span>{m.console_alert_taken_machine()}</span>
      ) : (
        <span>
          {m.console_alert_taken()} <bdi dir="ltr">{acknowledged_by}</bdi>
        </span>
      )}
      {silenced_until !== null && Date.parse(silenced_until) > now() ? (
        <span>{m.console_alert_silenced({ date: dateTime(silenced_until) })}</span>
      ) : null}
    </>
  );
}

function Closed({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <>
      <h2 className="c-head">{m.console_alerts_closed()}</h2>
      <table className="c-table c-closed-alerts">
        <thead>
          <tr>
            <th scope="col">{m.console_alert()}</th>
            <th scope="col">{m.console_alert_opened()}</th>
            <th scope="col">{m.console_alert_lasted()}</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.id} className="c-quiet">
              <td>{describeAlert(alert, currentLocale()).title}</td>
              <td>{dateTime(alert.opened_at)}</td>
              <td>
                {duration((Date.parse(alert.closed_at ?? alert.opened_at) - Date.parse(alert.opened_at)) / 1_000)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

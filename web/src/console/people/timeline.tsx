import { type TimelineEvent, type TimelineKind, timelineKinds } from '@raha/contract/admin/people.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, signedNumber } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { actName } from '../acts.ts';
import { api } from '../api.ts';
import { Link } from '../link.tsx';
import { Reading } from '../reading.tsx';
import { useAnswer } from '../use-answer.ts';
import { once } from './money-acts.tsx';
import { lineStates, timelineNames } from './words.ts';

interface Props {
  readonly id: string;
  readonly role: StaffRole;
  readonly seesConfigs: boolean;
  onDone(sentence: string): void;
}

interface Asked {
  readonly kind?: TimelineKind;
  readonly before?: string;
}

/** What happened on an account, newest first, page by page; of all kinds or of one. */
export function Timeline({ id, role, seesConfigs, onDone }: Props) {
  const [refunding, setRefunding] = useState<string>();
  const mayRefund = isPermitted(role, 'refunds.request');
  const [asked, setAsked] = useState<Asked>({});
  const answer = useAnswer(JSON.stringify([id, asked]), async () => {
    return (await api.readTimeline({ params: { id }, query: asked })).data;
  });
  const { data, isLoading } = answer;
  const last = data?.events.at(-1)?.at;
  const kinds = timelineKinds.filter((kind) => kind !== 'config' || seesConfigs);
  return (
    <section aria-labelledby="user-timeline">
      <h2 id="user-timeline" className="c-head">
        {m.console_timeline()}
      </h2>
      <div className="c-tabs">
        {[undefined, ...kinds].map((kind) => (
          <button
            key={kind ?? 'all'}
            type="button"
            aria-pressed={asked.kind === kind}
            onClick={() => setAsked(kind ? { kind } : {})}
          >
            {kind ? timelineNames[kind]() : m.console_timeline_all()}
          </button>
        ))}
      </div>
      <Reading of={answer} />
      {data?.events.length === 0 ? <p className="c-note">{m.console_timeline_none()}</p> : null}
      {data ? (
        <ol className="c-timeline" aria-busy={isLoading}>
          {data.events.map((event) => (
            <Event
              key={event.id}
              event={event}
              seesPayments={isPermitted(role, 'payments.read')}
              {...(mayRefund ? { onRefund: setRefunding } : {})}
            />
          ))}
        </ol>
      ) : null}
      <div className="c-buttons c-pages">
        {asked.before ? (
          <button type="button" className="c-button" onClick={() => setAsked(asked.kind ? { kind: asked.kind } : {})}>
            {m.console_timeline_newest()}
          </button>
        ) : null}
        {data?.more && last ? (
          <button type="button" className="c-button" onClick={() => setAsked({ ...asked, before: last })}>
            {m.console_timeline_older()}
          </button>
        ) : null}
      </div>
      {refunding === undefined ? null : (
        <ActDialog
          title={m.console_refund()}
          effect={m.console_refund_text()}
          button={m.console_refund()}
          act={(reason, key) => api.refundOnBehalf({ params: { id, payment: refunding }, body: { reason } }, once(key))}
          onDone={() => {
            setRefunding(undefined);
            onDone(m.console_refund_done());
          }}
          onClose={() => setRefunding(undefined)}
        />
      )}
    </section>
  );
}

interface EventProps {
  readonly event: TimelineEvent;
  readonly seesPayments: boolean;
  readonly onRefund?: (payment: string) => void;
}

function Event({ event, seesPayments, onRefund }: EventProps) {
  const state = event.status === null ? undefined : lineStates[event.status];
  return (
    <li>
      <time dateTime={event.at}>{dateTime(event.at)}</time>
      <span className="c-quiet">{timelineNames[event.kind]()}</span>
      <span>
        {event.kind === 'operator' ? (
          (actName(event.title) ?? (
            <bdi dir="ltr" className="c-code">
              {event.title}
            </bdi>
          ))
        ) : event.payment !== null && seesPayments ? (
          <Link to={`/admin/payments/${event.payment}`} className="c-link">
            <bdi>{event.title}</bdi>
          </Link>
        ) : (
          <bdi>{event.title}</bdi>
        )}
        {event.actor === null ? null : (
          <small>
            <bdi dir="ltr">{event.actor}</bdi>
          </small>
        )}
        {event.reason === null ? null : <q>{event.reason}</q>}
        {state ? <small>{state()}</small> : null}
        {event.payment !== null && event.status === null && onRefund ? (
          <button
            type="button"
            className="c-link"
            aria-label={m.console_refund_of({ payment: event.payment })}
            onClick={() => onRefund(event.payment as string)}
          >
            {m.console_refund()}
          </button>
        ) : null}
      </span>
      <span className="c-number">{event.amount === null ? '' : signedNumber(event.amount)}</span>
    </li>
  );
}

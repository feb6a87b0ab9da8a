import type { BulkFacts } from '@raha/contract/admin/bulk.ts';
import { Fragment, type ReactNode, useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, duration, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api, apiAddress } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LiveMark } from '../live-mark.tsx';
import { goTo } from '../path.ts';
import { once } from '../people/money-acts.tsx';
import { isolated, statusNames } from '../people/words.ts';
import { Problem } from '../problem.tsx';
import { useProof } from '../proof.tsx';
import { Reading } from '../reading.tsx';
import { useLive } from '../use-live.ts';
import { useWork } from '../use-work.ts';
import { BulkPeople } from './bulk-people.tsx';
import { BulkState } from './bulk-state.tsx';
import { ApprovalNote, CreditMoney } from './credit-parts.tsx';
import { actNames, leftOf, titleOf } from './words.ts';

const LIVE_SECONDS = 2;

/** How far a bulk is, what failed and why, and what may still be done about it. */
export function BulkScreen({ id }: { readonly id: string }) {
  const answer = useLive(id, LIVE_SECONDS, async (options) => (await api.getBulk({ params: { id } }, options)).data);
  const { data: bulk, at, reload } = answer;
  return (
    <>
      <Lead title={bulk ? leadOf(bulk) : m.console_bulks()} {...(bulk ? { text: bulk.reason } : {})}>
        <div className="c-buttons">
          {bulk?.ended_at === null ? <LiveMark at={at} every={LIVE_SECONDS} /> : null}
          <a className="c-button c-as-link" href={apiAddress(`/admin/bulks/${id}/outcome.csv`)} download>
            {m.console_csv()}
          </a>
        </div>
      </Lead>
      <Reading of={answer} />
      {bulk ? (
        <>
          <ApprovalNote bulk={bulk} />
          <Progress bulk={bulk} />
          {bulk.may_steer ? <Acts bulk={bulk} onDone={reload} /> : null}
          <Facts bulk={bulk} />
          {/* Read anew when there is more of it. */}
          {bulk.failed > 0 ? <BulkPeople id={id} state="failed" seen={bulk.failed} /> : null}
          {bulk.done > 0 ? <BulkPeople id={id} state="done" seen={bulk.done} /> : null}
          {leftOf(bulk) > 0 ? (
            <BulkPeople id={id} state="open" seen={leftOf(bulk)} isOver={bulk.ended_at !== null} />
          ) : null}
        </>
      ) : null}
    </>
  );
}

function leadOf(bulk: BulkFacts): string {
  const title = titleOf(bulk);
  if (bulk.state === 'proposed') return m.console_bulk_lead_proposed({ title });
  if (bulk.state === 'planned' && bulk.starts_at !== null) {
    const seconds = Math.max(0, (Date.parse(bulk.starts_at) - now()) / 1000);
    return seconds > 0
      ? m.console_bulk_lead_planned({ title, time: duration(seconds) })
      : m.console_bulk_lead_soon({ title });
  }
  const counts = { title, done: number(bulk.done), people: number(bulk.people), left: number(leftOf(bulk)) };
  if (bulk.state === 'running') return m.console_bulk_lead_running(counts);
  if (bulk.state === 'paused') return m.console_bulk_lead_paused(counts);
  if (bulk.state === 'cancelled') return m.console_bulk_lead_cancelled({ title });
  if (bulk.state === 'stopped') return m.console_bulk_lead_stopped(counts);
  return bulk.failed > 0
    ? m.console_bulk_lead_some({ title, done: number(bulk.done), failed: number(bulk.failed) })
    : m.console_bulk_lead_done({ title });
}

function Progress({ bulk }: { bulk: BulkFacts }) {
  const counts: readonly (readonly [string, number])[] = [
    [m.console_bulk_count_done(), bulk.done],
    [m.console_bulk_count_failed(), bulk.failed],
    [m.console_bulk_count_left(), leftOf(bulk)],
  ];
  return (
    <div className="c-bulk-progress">
      <progress value={bulk.done + bulk.failed} max={bulk.people} aria-label={m.console_bulk_progress()} />
      <dl className="c-strip">
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <strong>{number(count)}</strong>
            </dd>
          </div>
        ))}
        <CreditMoney bulk={bulk} />
      </dl>
    </div>
  );
}

/** Pausing and stopping ask for nothing: they are wanted at once. */
function Acts({ bulk, onDone }: { bulk: BulkFacts; onDone(): void }) {
  const [isUndoing, setUndoing] = useState(false);
  const work = useWork();
  const withProof = useProof();
  const call = { params: { id: bulk.id }, body: {} };
  const button = (label: string, act: () => Promise<unknown>) => (
    <button
      type="button"
      className="c-button"
      disabled={work.isBusy}
      onClick={() =>
        void work.run(async () => {
          try {
            await withProof(act);
          } finally {
            onDone();
          }
        })
      }
    >
      {label}
    </button>
  );
  const { state } = bulk;
  return (
    <>
      <div className="c-buttons c-acts c-bulk-acts">
        {state === 'running' ? button(m.console_bulk_pause(), () => api.pauseBulk(call)) : null}
        {state === 'paused' ? button(m.console_bulk_continue(), () => api.continueBulk(call)) : null}
        {state === 'planned' ? button(m.console_bulk_cancel(), () => api.stopBulk(call)) : null}
        {state === 'running' || state === 'paused' ? button(m.console_bulk_stop(), () => api.stopBulk(call)) : null}
        {bulk.may_undo ? (
          <button type="button" className="c-button" onClick={() => setUndoing(true)}>
            {m.console_bulk_undo()}
          </button>
        ) : null}
      </div>
      <Problem sentence={work.sentence} />
      {isUndoing ? <Undo bulk={bulk} onClose={() => setUndoing(false)} /> : null}
    </>
  );
}

function Undo({ bulk, onClose }: { bulk: BulkFacts; onClose(): void }) {
  const act = bulk.act === 'suspend' ? actNames.reopen() : actNames.suspend();
  return (
    <ActDialog
      title={
        bulk.done === 1
          ? m.console_bulk_undo_title_one({ act })
          : m.console_bulk_undo_title({ act, count: number(bulk.done) })
      }
      effect={bulk.act === 'suspend' ? m.console_bulk_undo_suspend() : m.console_bulk_undo_reopen()}
      button={m.console_bulk_undo()}
      act={async (reason, key) => {
        const { data } = await api.undoBulk({ params: { id: bulk.id }, body: { reason } }, once(key));
        goTo(`/admin/bulks/${data.id}`);
      }}
      onDone={onClose}
      onClose={onClose}
    />
  );
}

function Facts({ bulk }: { bulk: BulkFacts }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [m.console_user_state(), <BulkState key="state" bulk={bulk} />],
    [
      m.console_bulk_by(),
      <bdi key="by" dir="ltr">
        {bulk.by}
      </bdi>,
    ],
    [m.console_bulk_ordered(), dateTime(bulk.ordered_at)],
    ...approvalFacts(bulk),
    ...(bulk.ended_at === null ? [] : [[m.console_bulk_ended(), dateTime(bulk.ended_at)] as const]),
    ...(bulk.filter === null ? [] : [[m.console_bulk_filter(), filterText(bulk.filter)] as const]),
    ...(bulk.undoes === null ? [] : [[m.console_bulk_undoes(), <Other key="undoes" id={bulk.undoes} />] as const]),
    ...(bulk.undone_by === null
      ? []
      : [[m.console_bulk_undone_by(), <Other key="undone" id={bulk.undone_by} />] as const]),
  ];
  return (
    <>
      {bulk.lost_permission ? <p className="c-note">{m.console_bulk_lost()}</p> : null}
      <dl className="c-facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

/** Of a credit what its users are told, and who approved it. */
function approvalFacts({ message, approved_by: by, alone }: BulkFacts): readonly (readonly [string, ReactNode])[] {
  if (message === null) return [];
  const approved = (
    <span key="approved">
      <bdi dir="ltr">{by}</bdi>
      {alone ? <small>{m.console_correction_alone_mark()}</small> : null}
    </span>
  );
  return [
    ...(by === null ? [] : [[m.console_bulk_approved_by(), approved] as const]),
    [m.console_bulk_message(), <bdi key="message">{message}</bdi>],
  ];
}

function Other({ id }: { id: string }) {
  return (
    <Link to={`/admin/bulks/${id}`} className="c-link">
      <bdi dir="ltr">{id.slice(0, 8)}</bdi>
    </Link>
  );
}

function filterText({ state, server }: NonNullable<BulkFacts['filter']>): string {
  return [
    ...(state === null ? [] : [statusNames[state]()]),
    ...(server === null ? [] : [m.console_people_on({ server: isolated(server) })]),
  ].join(m.console_today_and());
}

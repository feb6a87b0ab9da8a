import type { EntryBlock, EntryLine, EntryState, NodeEntries } from '@raha/contract/admin/entries.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, milliseconds, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LiveMark } from '../live-mark.tsx';
import { StateMark } from '../mark.tsx';
import { isolated } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useLive } from '../use-live.ts';
import { EntryAct } from './entry-act.tsx';
import { transportNames } from './words.ts';

const LIVE_SECONDS = 15;

/** Relays and own addresses, server by server: how they are, where they are named, and who took which of them out. */
export function EntriesScreen({ self }: ScreenProps) {
  const live = useLive('entries', LIVE_SECONDS, async (options) => (await api.listEntries({}, options)).data.nodes);
  const [outcome, setOutcome] = useState('');
  const nodes = live.data;
  const done = (sentence: string) => {
    setOutcome(sentence);
    live.reload();
  };
  return (
    <>
      <Lead title={nodes ? leadOf(nodes) : m.console_entries()} text={m.console_entries_text()}>
        <div className="c-buttons">
          <LiveMark at={live.at} every={LIVE_SECONDS} />
          <Link to="/admin/reach" className="c-link">
            {m.console_entries_back()}
          </Link>
        </div>
      </Lead>
      <Reading of={live} outcome={outcome} />
      {nodes?.map((node) => (
        <NodePart key={node.id} node={node} mayAct={isPermitted(self.role, 'fleet.manage')} onDone={done} />
      ))}
      {nodes ? <p className="c-note">{m.console_entries_note()}</p> : null}
    </>
  );
}

function leadOf(nodes: readonly NodeEntries[]): string {
  const entries = nodes.flatMap((node) => node.entries);
  const out = entries.filter(({ block }) => block !== null).length;
  const away = entries.filter(({ addresses }) => addresses.some(({ state }) => state === 'away')).length;
  if (nodes.length === 0) return m.console_entries_none();
  if (out > 0) return m.console_entries_lead_out({ out: number(out), count: number(entries.length) });
  return away > 0
    ? m.console_entries_lead_away({ away: number(away) })
    : m.console_entries_lead({ count: number(entries.length) });
}

interface PartProps {
  readonly node: NodeEntries;
  readonly mayAct: boolean;
  onDone(sentence: string): void;
}

function NodePart({ node, mayAct, onDone }: PartProps) {
  return (
    <section aria-labelledby={`entries-${node.id}`}>
      <h2 id={`entries-${node.id}`} className="c-head">
        <bdi dir="ltr">{node.name}</bdi>
      </h2>
      <DnsName dns={node.dns} />
      <table className="c-table c-reach c-entries">
        <thead>
          <tr>
            {[m.console_entry(), m.console_entry_health(), m.console_entry_in_dns(), m.console_entry_in_files()].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
            <th scope="col">{m.console_user_state()}</th>
            {mayAct ? <td /> : null}
          </tr>
        </thead>
        <tbody>
          {node.entries.map((entry) => (
            <Row key={entry.relay?.id ?? 'own'} node={node} entry={entry} mayAct={mayAct} onDone={onDone} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** As it was last set: what the name server did not take is tried again, and stands here once it did. */
function DnsName({ dns }: { dns: NodeEntries['dns'] }) {
  if (dns === null) return <p className="c-note">{m.console_entry_no_name()}</p>;
  return (
    <p className="c-note">
      <bdi dir="ltr" className="c-code">
        {dns.name}
      </bdi>
      {' → '}
      {dns.addresses.length === 0 ? (
        m.console_entry_name_nowhere()
      ) : (
        <bdi dir="ltr" className="c-code">
          {dns.addresses.join(', ')}
        </bdi>
      )}{' '}
      <span>{m.console_entry_name_set({ ago: relativeTime(dns.at, now()) })}</span>
    </p>
  );
}

const stateNames: Readonly<Record<EntryState, () => string>> = {
  up: m.console_entry_up,
  away: m.console_entry_away,
  untried: m.console_entry_untried,
};
const tones = { up: undefined, away: 'look', untried: 'planned' } as const;

function Row({ node, entry, mayAct, onDone }: PartProps & { entry: EntryLine }) {
  const { relay, block } = entry;
  return (
    <tr>
      <th scope="row">{relay ? <bdi dir="ltr">{relay.name}</bdi> : m.console_entry_own()}</th>
      <td>
        {entry.addresses.map(({ address, state }) => (
          <Address key={address} address={address} state={state} />
        ))}
        {entry.round_trip_ms === null ? null : (
          <small>{`${m.console_entry_trip()} ${milliseconds(entry.round_trip_ms)}`}</small>
        )}
      </td>
      <YesNo label={m.console_entry_in_dns()} isSo={entry.in_name} />
      <YesNo label={m.console_entry_in_files()} isSo={entry.in_files} />
      <td>{block === null ? null : <Block block={block} />}</td>
      {mayAct ? (
        <td>
          <EntryAct node={node} entry={entry} onDone={onDone} />
        </td>
      ) : null}
    </tr>
  );
}

function Address({ address, state }: EntryLine['addresses'][number]) {
  const tone = state === null ? undefined : tones[state];
  return (
    <span className="c-address">
      <bdi dir="ltr" className="c-code">
        {address}
      </bdi>
      {state === null ? null : (
        <span className="c-state">
          {tone ? <StateMark tone={tone} /> : null}
          {stateNames[state]()}
        </span>
      )}
    </span>
  );
}

/** On a phone the head of the table is for screen readers only, so each figure says what it is. */
function YesNo({ label, isSo }: { label: string; isSo: boolean }) {
  return (
    <td className={isSo ? 'c-said' : 'c-said c-quiet'}>
      <span className="c-figure-label" aria-hidden="true">
        {label}
      </span>
      {isSo ? m.console_entry_yes() : m.console_entry_no()}
    </td>
  );
}

function Block({ block }: { block: EntryBlock }) {
  return (
    <>
      <span className="c-state">
        <StateMark tone="look" />
        {m.console_entry_out()}
      </span>
      <small>
        {block.by_rule ? (
          m.console_entry_by_rule()
        ) : block.by === null ? (
          m.console_entry_by_machine()
        ) : (
          <bdi dir="ltr">{block.by}</bdi>
        )}{' '}
        {m.console_entry_since({ date: dateTime(block.at) })}
      </small>
      {block.evidence === null ? null : <small>{evidenceOf(block.evidence)}</small>}
      {block.reason === null ? null : (
        <small>
          <q dir="auto">{block.reason}</q>
        </small>
      )}
      <small>{block.notified_at === null ? m.console_entry_notifying() : m.console_entry_notified()}</small>
    </>
  );
}

function evidenceOf({ network, transport, kind, percent, of, elsewhere }: NonNullable<EntryBlock['evidence']>): string {
  const values = {
    transport: isolated(transportNames[transport]),
    network: network ? isolated(network[currentLocale()]) : m.console_entry_all_networks(),
    percent: m.console_percent({ value: number(percent) }),
    count: number(of),
    elsewhere: m.console_percent({ value: number(elsewhere) }),
  };
  return kind === 'silent' ? m.console_entry_seen_silent(values) : m.console_entry_seen(values);
}

import type { NodeFacts, TraceOutcome } from '@raha/contract/admin/fleet.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { bytes, countryName, dateTime, milliseconds, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LiveMark } from '../live-mark.tsx';
import { StateMark } from '../mark.tsx';
import { isolated } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useLive } from '../use-live.ts';
import { NodeActs } from './node-acts.tsx';
import { TraceAnswer, TracePort } from './trace-port.tsx';
import { percent, stateOf, troubleNames } from './words.ts';

const LIVE_SECONDS = 5;

/** One server: how it is, what it holds, what one may do, and how far leaving it is. */
export function NodeScreen({ id, self }: ScreenProps & { id: string }) {
  const live = useLive(id, LIVE_SECONDS, async (options) => (await api.getNodeFacts({ params: { id } }, options)).data);
  const [outcome, setOutcome] = useState('');
  // Stands on the page until it is left, and nowhere else.
  const [traced, setTraced] = useState<TraceOutcome>();
  const node = live.data;
  if (!node) return <Reading of={live} />;
  const done = (sentence: string) => {
    setOutcome(sentence);
    live.reload();
  };
  const { tone, word } = stateOf(node, node.figures);
  return (
    <>
      <Lead title={m.console_node_finding({ name: isolated(node.name), state: word })} text={locationOf(node)}>
        <LiveMark at={live.at} every={LIVE_SECONDS} />
      </Lead>
      <Reading of={live} outcome={outcome} />
      <div className="c-buttons c-acts">
        {isPermitted(self.role, 'fleet.manage') ? <NodeActs node={node} onDone={done} /> : null}
        {isPermitted(self.role, 'abuse.trace') && node.status !== 'revoked' ? (
          <TracePort node={node} onOutcome={setTraced} />
        ) : null}
      </div>
      <div className="c-outcome" role="status">
        {traced ? <TraceAnswer outcome={traced} /> : null}
      </div>
      {node.status === 'retired' || node.status === 'revoked' ? <Leaving node={node} /> : null}
      {node.troubles.length > 0 || node.anomalies.length > 0 ? <Troubles node={node} tone={tone} /> : null}
      <Facts node={node} />
      {isPermitted(self.role, 'audit.read') ? (
        <p className="c-note">
          <Link to={`/admin/audit?target=${node.id}`} className="c-link">
            {m.console_node_history()}
          </Link>
        </p>
      ) : null}
    </>
  );
}

function locationOf({ city, country }: NodeFacts): string {
  return m.console_node_location({ city: isolated(city), country: countryName(country) });
}

/** Configs that have a replacement elsewhere, of all that are still here. */
function Leaving({ node: { leave, retires_at } }: { node: NodeFacts }) {
  return (
    <section aria-labelledby="node-leaving" className="c-leaving">
      <h2 id="node-leaving" className="c-head">
        {m.console_node_leaving()}
      </h2>
      {leave.configs === 0 ? (
        <p className="c-note">{m.console_node_left()}</p>
      ) : (
        <>
          <p>{m.console_node_moved({ moved: number(leave.moved), configs: number(leave.configs) })}</p>
          <progress value={leave.moved} max={leave.configs} aria-labelledby="node-leaving" />
        </>
      )}
      <ul className="c-days">
        {leave.to.map(({ name, configs }) => (
          <li key={name}>
            <bdi dir="ltr">{name}</bdi>
            <span>{m.console_node_configs_there({ count: number(configs) })}</span>
          </li>
        ))}
      </ul>
      {retires_at === null ? null : <p className="c-note">{m.console_node_ends({ date: dateTime(retires_at) })}</p>}
    </section>
  );
}

function Troubles({ node: { troubles, anomalies }, tone }: { node: NodeFacts; tone: string }) {
  return (
    <section aria-labelledby="node-troubles">
      <h2 id="node-troubles" className="c-head">
        {m.console_node_troubles()}
      </h2>
      <ul className="c-days">
        {troubles.map((kind) => (
          <li key={kind}>
            <span className="c-state">
              <StateMark tone={kind === 'silent' && tone === 'act' ? 'act' : 'look'} />
              {troubleNames[kind]()}
            </span>
          </li>
        ))}
        {anomalies.map(({ kind, times, last_at }) => (
          <li key={kind}>
            <span className="c-state">
              <StateMark tone="act" />
              <bdi dir="ltr" className="c-code">
                {kind}
              </bdi>
            </span>
            <span>{m.console_node_anomaly({ times: number(times), date: dateTime(last_at) })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ node }: { node: NodeFacts }) {
  const { figures, disk } = node;
  const rows: readonly (readonly [string, string])[] = [
    [m.console_node_connected(), number(figures.connected)],
    [m.console_user_configs(), number(figures.configs)],
    [m.console_node_leased(), number(figures.leased)],
    [m.console_node_load(), node.load === null ? '–' : percent(node.load)],
    [m.console_node_ping(), node.ping_ms === null ? '–' : milliseconds(node.ping_ms)],
    [m.console_node_behind(), number(node.behind)],
    [m.console_node_month(), monthOf(node)],
    [m.console_node_cost(), figures.cost === null ? '–' : number(figures.cost)],
    [m.console_node_seen(), node.seen_at === null ? m.console_user_never() : dateTime(node.seen_at)],
    [m.console_node_disk_free(), disk === null ? '–' : `${bytes(disk.free)} / ${bytes(disk.total)}`],
    [m.console_node_clock_off(), node.clock_offset_ms === null ? '–' : milliseconds(node.clock_offset_ms)],
    [m.console_node_certificate_ends(), node.certificate_ends_at === null ? '–' : dateTime(node.certificate_ends_at)],
  ];
  const codes: readonly (readonly [string, string | null])[] = [
    [m.console_node_agent(), node.agent],
    [m.console_user_protocol(), node.protocols.join(', ') || null],
    [m.console_node_address(), node.address],
  ];
  return (
    <dl className="c-facts c-node">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {codes.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi dir="ltr" className="c-code">
              {value ?? '–'}
            </bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function monthOf({ figures: { month, cap } }: NodeFacts): string {
  return cap === null ? bytes(month) : `${bytes(month)} ${m.console_node_of_cap({ cap: bytes(cap) })}`;
}

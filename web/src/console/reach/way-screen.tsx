import type { ReachEntry, ReachShare, ReachSpan, ReachWay } from '@raha/contract/admin/reach.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import type { ReactNode } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { isolated } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import { useLive } from '../use-live.ts';
import { ShareBars } from './share-bars.tsx';
import { SpanTabs } from './span-tabs.tsx';
import { basisOf, nameOf, POOR, percentOf, transportNames } from './words.ts';

const MINUTE = 60;

interface Props {
  readonly network: string;
  readonly transport: Transport;
  readonly span: ReachSpan;
}

/** One transport on one operator's network: by hour, by port and by entry. */
export function WayScreen({ network, transport, span }: Props) {
  const live = useLive(`${network} ${transport} ${span}`, MINUTE, async (options) => {
    return (await api.getReachWay({ params: { network, transport }, query: { span } }, options)).data;
  });
  const { data } = live;
  return (
    <>
      <Lead title={data ? leadOf(data) : transportNames[transport]} text={textOf(data)}>
        <Link to={`/admin/reach?span=${span}`} className="c-link">
          {m.console_reach_back()}
        </Link>
      </Lead>
      <SpanTabs base={`/admin/reach/${network}/${transport}`} span={span} />
      <Reading of={live} />
      {data ? <Parts way={data} /> : null}
    </>
  );
}

function leadOf({ network, transport, share }: ReachWay): string {
  const names = { transport: isolated(transportNames[transport]), network: isolated(nameOf(network)) };
  return share ? m.console_reach_way({ ...names, percent: percentOf(share) }) : m.console_reach_way_none(names);
}

function textOf(way: ReachWay | undefined): string {
  return way?.share ? basisOf(way.share) : m.console_reach_empty();
}

function Parts({ way }: { way: ReachWay }) {
  return (
    <>
      {way.hours.length > 0 ? (
        <div className="c-all-series">
          <ShareBars {...way} />
        </div>
      ) : null}
      <Entries entries={way.entries} />
      {way.ports.length > 1 ? <Ports ports={way.ports} /> : null}
      {way.hours.length > 0 ? <Hours hours={way.hours} /> : null}
    </>
  );
}

function Share({ share }: { share: ReachShare | null }) {
  if (share === null) return <span className="c-quiet">{m.console_reach_no_figure()}</span>;
  return (
    <span className="c-share">
      <span className="c-state">
        {share.percent < POOR ? <StateMark tone="look" /> : null}
        {percentOf(share)}
      </span>
      <small>{basisOf(share)}</small>
    </span>
  );
}

function Entries({ entries }: { entries: readonly ReachEntry[] }) {
  return (
    <section aria-labelledby="reach-entries">
      <h2 id="reach-entries" className="c-head">
        {m.console_reach_entries()}
      </h2>
      <table className="c-table c-reach">
        <thead>
          <tr>
            <th scope="col">{m.console_entry()}</th>
            <th scope="col">{m.console_user_server()}</th>
            <th scope="col">{m.console_user_state()}</th>
            <th scope="col" className="c-number">
              {m.console_reach_connected()}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ node, relay, blocked, share }) => (
            <tr key={`${node.id} ${relay?.id}`}>
              <th scope="row">{relay ? <bdi dir="ltr">{relay.name}</bdi> : m.console_entry_own()}</th>
              <td>
                <Link to={`/admin/nodes/${node.id}`} className="c-link">
                  <bdi dir="ltr">{node.name}</bdi>
                </Link>
              </td>
              <td>{blocked ? m.console_entry_out() : m.console_entry_in()}</td>
              <td className="c-number">
                <span className="c-figure-label" aria-hidden="true">
                  {m.console_reach_connected()}
                </span>
                <Share share={share} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="c-note">{m.console_reach_entries_note()}</p>
    </section>
  );
}

function Ports({ ports }: { ports: ReachWay['ports'] }) {
  const rows = ports.map(({ port, share }) => {
    const name = port === null ? m.console_reach_port_usual() : m.console_reach_port({ port: number(port) });
    return { key: String(port), name, share };
  });
  return <Shares id="reach-ports" title={m.console_reach_ports()} of={m.console_reach_port_column()} rows={rows} />;
}

/** The newest first. */
function Hours({ hours }: { hours: ReachWay['hours'] }) {
  const rows = hours.toReversed().map(({ begins, share }) => {
    return { key: begins, name: <time dateTime={begins}>{dateTime(begins)}</time>, share };
  });
  return <Shares id="reach-hours" title={m.console_reach_hours()} of={m.console_reach_hour_began()} rows={rows} />;
}

interface SharesProps {
  readonly id: string;
  readonly title: string;
  /** What each row is about. */
  readonly of: string;
  readonly rows: readonly { readonly key: string; readonly name: ReactNode; readonly share: ReachShare }[];
}

function Shares({ id, title, of, rows }: SharesProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="c-head">
        {title}
      </h2>
      <table className="c-table c-reach c-shares">
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col" className="c-number">
              {m.console_reach_connected()}
            </th>
            <th scope="col" className="c-number">
              {m.console_reach_tried()}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, share }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td className="c-number">{percentOf(share)}</td>
              <td className="c-number c-quiet">
                {share.source === 'servers'
                  ? m.console_reach_of({ count: number(share.of) })
                  : m.console_reach_of_users({ count: number(share.of) })}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

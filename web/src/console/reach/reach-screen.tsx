import { type ReachMapCell, type ReachSpan, reachSpans } from '@raha/contract/admin/reach.ts';
import { type Transport, transports } from '@raha/contract/protocols.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { useAddress } from '../path.ts';
import { isolated } from '../people/words.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useLive } from '../use-live.ts';
import { EntriesScreen } from './entries-screen.tsx';
import { SpanTabs } from './span-tabs.tsx';
import { WayScreen } from './way-screen.tsx';
import { basisOf, nameOf, POOR, percentOf, transportNames } from './words.ts';

const MINUTE = 60;

/** How devices get through, by operator's network and transport; one of them at an address of its own. */
export function ReachScreen(props: ScreenProps) {
  const { path, query } = useAddress();
  const [network, transport] = path.split('/').slice(3);
  const span = reachSpans.find((name) => name === query.get('span')) ?? 'hour';
  if (network === undefined) return <ReachMap span={span} />;
  if (network === 'entries') return <EntriesScreen {...props} />;
  const known = transports.find((name) => name === transport) ?? 'wireguard';
  return <WayScreen network={network} transport={known} span={span} />;
}

function ReachMap({ span }: { span: ReachSpan }) {
  const live = useLive(span, MINUTE, async (options) => (await api.getReachMap({ query: { span } }, options)).data);
  const { data } = live;
  const known = new Set((data?.cells ?? []).map(({ network }) => network));
  const without = (data?.networks ?? []).filter(({ id }) => !known.has(id)).map(nameOf);
  return (
    <>
      <Lead title={data ? leadOf(data.cells) : m.console_reach()} text={m.console_reach_text()}>
        <Link to="/admin/reach/entries" className="c-link">
          {m.console_entries()}
        </Link>
      </Lead>
      <SpanTabs base="/admin/reach" span={span} />
      <Reading of={live} />
      {data && data.networks.length === 0 ? <p className="c-note">{m.console_reach_off()}</p> : null}
      {data && data.networks.length > 0 && known.size === 0 ? (
        <p className="c-note">{m.console_reach_empty()}</p>
      ) : null}
      {data && known.size > 0 ? (
        <>
          <Matrix networks={data.networks.filter(({ id }) => known.has(id))} cells={data.cells} span={span} />
          {without.length > 0 ? <p className="c-note">{m.console_reach_without({ names: listOf(without) })}</p> : null}
          <p className="c-note">{m.console_reach_note()}</p>
        </>
      ) : null}
    </>
  );
}

function leadOf(cells: readonly ReachMapCell[]): string {
  if (cells.length === 0) return m.console_reach_none();
  const poor = cells.filter(({ share }) => share.percent < POOR).length;
  return poor === 0
    ? m.console_reach_lead({ count: number(cells.length) })
    : m.console_reach_lead_poor({ count: number(cells.length), poor: number(poor) });
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en').format(names.map(isolated));
}

interface MatrixProps {
  readonly networks: readonly NetworkOperator[];
  readonly cells: readonly ReachMapCell[];
  readonly span: ReachSpan;
}

function Matrix({ networks, cells, span }: MatrixProps) {
  return (
    <table className="c-table c-reach">
      <thead>
        <tr>
          <th scope="col">{m.console_reach_network()}</th>
          {transports.map((transport) => (
            <th key={transport} scope="col" className="c-number">
              <bdi dir="ltr">{transportNames[transport]}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {networks.map((network) => (
          <tr key={network.id}>
            <th scope="row">{nameOf(network)}</th>
            {transports.map((transport) => (
              <td key={transport} className="c-number">
                <Cell
                  network={network}
                  transport={transport}
                  span={span}
                  cell={cells.find((each) => each.network === network.id && each.transport === transport)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly network: NetworkOperator;
  readonly transport: Transport;
  readonly span: ReachSpan;
  readonly cell: ReachMapCell | undefined;
}

/** On a phone the head of the table is for screen readers only, so each figure says what it is. */
function Cell({ network, transport, span, cell }: CellProps) {
  const name = transportNames[transport];
  return (
    <>
      <span className="c-figure-label" aria-hidden="true">
        <bdi dir="ltr">{name}</bdi>
      </span>
      {cell === undefined ? (
        <span className="c-quiet">{m.console_reach_no_figure()}</span>
      ) : (
        <span className="c-share">
          <Link to={`/admin/reach/${network.id}/${transport}?span=${span}`} className="c-link">
            {cell.share.percent < POOR ? <StateMark tone="look" /> : null}
            {percentOf(cell.share)}
          </Link>
          <small>{basisOf(cell.share)}</small>
        </span>
      )}
    </>
  );
}

import type { LiveNode, NodeFigures, NodeMargins } from '@raha/contract/admin/fleet.ts';
import { bytes, number, signedNumber } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { isNearCap, percent, stateOf } from './words.ts';

interface TableProps {
  readonly nodes: readonly LiveNode[];
  readonly figures: ReadonlyMap<string, NodeFigures>;
  readonly margins: readonly NodeMargins[] | undefined;
}

/** The servers that are shown, and the sums of what can be added. */
export function FleetTable({ nodes, figures, margins }: TableProps) {
  const numbers = [
    m.console_node_connected,
    m.console_node_load,
    m.console_node_ping,
    m.console_node_behind,
    m.console_node_leased,
    m.console_node_month,
    m.console_node_cost,
    ...(margins ? [m.console_node_margin] : []),
  ];
  return (
    <table className="c-table c-fleet">
      <thead>
        <tr>
          <th scope="col">{m.console_user_server()}</th>
          <th scope="col">{m.console_user_state()}</th>
          {numbers.map((name) => (
            <th key={name()} scope="col" className="c-number">
              {name()}
            </th>
          ))}
          <th scope="col">{m.console_node_agent()}</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <Row
            key={node.id}
            node={node}
            figures={figures.get(node.id)}
            margin={margins?.find(({ name }) => name === node.name)?.margin}
            hasMargins={margins !== undefined}
          />
        ))}
      </tbody>
      {nodes.length > 1 ? <Sums nodes={nodes} figures={figures} margins={margins} /> : null}
    </table>
  );
}

function Sums({ nodes, figures, margins }: TableProps) {
  const shown = new Set(nodes.map(({ name }) => name));
  const counted = nodes.flatMap(({ id }) => figures.get(id) ?? []);
  const total = (value: (node: NodeFigures) => number) => counted.reduce((sum, node) => sum + value(node), 0);
  const month = total((node) => node.month);
  const cost = sumOf(counted.map((node) => node.cost));
  const margin = margins && sumOf(margins.filter(({ name }) => shown.has(name)).map((node) => node.margin));
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={2}>
          {m.console_fleet_sum({ count: number(nodes.length) })}
        </th>
        <td className="c-number">{orDash(total((node) => node.connected))}</td>
        <td colSpan={3} />
        <td className="c-number">{orDash(total((node) => node.leased))}</td>
        <td className="c-number">{month === 0 ? '–' : bytes(month)}</td>
        <td className="c-number">
          {orDash(cost.sum)}
          <Unknown of={cost} />
        </td>
        {margin === undefined ? null : (
          <td className={(margin.sum ?? 0) < 0 ? 'c-number c-warm' : 'c-number'}>
            {margin.sum === null ? '–' : signedNumber(margin.sum)}
            <Unknown of={margin} />
          </td>
        )}
        <td />
      </tr>
    </tfoot>
  );
}

interface Sum {
  /** Of those that are known; null where none is. */
  readonly sum: number | null;
  readonly unknown: number;
}

function sumOf(values: readonly (number | null)[]): Sum {
  const known = values.filter((value) => value !== null);
  const sum = known.length === 0 ? null : known.reduce((all, value) => all + value, 0);
  return { sum, unknown: values.length - known.length };
}

/** Says for how many servers a sum does not speak. */
function Unknown({ of: { sum, unknown } }: { of: Sum }) {
  return sum === null || unknown === 0 ? null : <small>{m.console_fleet_unknown({ count: number(unknown) })}</small>;
}

/** How much of the provider's cap the month has used; the words beside it say the same. */
function CapBar({ share }: { share: number }) {
  return (
    <svg className="c-cap" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect className="c-track" width="100" height="4" rx="2" />
      <rect data-near={isNearCap(share)} width={100 * Math.min(1, share)} height="4" rx="2" />
    </svg>
  );
}

interface RowProps {
  readonly node: LiveNode;
  readonly figures: NodeFigures | undefined;
  readonly margin: number | null | undefined;
  readonly hasMargins: boolean;
}

function Row({ node, figures, margin, hasMargins }: RowProps) {
  const { tone, word } = stateOf(node, figures);
  const { month, cap } = figures ?? { month: 0, cap: null };
  return (
    <tr data-tone={tone}>
      <td>
        <Link to={`/admin/nodes/${node.id}`} className="c-link">
          <bdi dir="ltr">{node.name}</bdi>
        </Link>
        <small>
          <bdi>{node.city}</bdi>
        </small>
      </td>
      <td>
        <span className="c-state">
          {tone === 'none' ? null : <StateMark tone={tone} />}
          {word}
        </span>
      </td>
      <td className="c-number" data-label={m.console_node_connected()}>
        {orDash(figures?.connected)}
      </td>
      <td className="c-number" data-label={m.console_node_load()}>
        {node.load === null || !node.online ? '–' : percent(node.load)}
      </td>
      <td className="c-number c-wide">{orDash(node.ping_ms)}</td>
      <td className={node.behind > 0 && !node.online ? 'c-number c-wide c-warm' : 'c-number c-wide'}>
        {orDash(node.behind)}
      </td>
      <td className="c-number c-wide">{orDash(figures?.leased)}</td>
      <td className="c-number c-wide">
        {month === 0 ? '–' : bytes(month)}
        {cap === null ? null : (
          <>
            <small>{m.console_node_of_cap({ cap: bytes(cap) })}</small>
            <CapBar share={month / cap} />
          </>
        )}
      </td>
      <td className="c-number c-wide">{orDash(figures?.cost)}</td>
      {hasMargins ? (
        <td className={(margin ?? 0) < 0 ? 'c-number c-wide c-warm' : 'c-number c-wide'}>
          {margin === null || margin === undefined ? '–' : signedNumber(margin)}
        </td>
      ) : null}
      <td className="c-wide">
        <bdi dir="ltr" className="c-code">
          {node.agent ?? '–'}
        </bdi>
      </td>
    </tr>
  );
}

function orDash(value: number | null | undefined): string {
  return value === null || value === undefined || value === 0 ? '–' : number(value);
}

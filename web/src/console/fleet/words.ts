import type { LiveNode, NodeFigures, NodeTroubleName } from '@raha/contract/admin/fleet.ts';
import { now } from '../../api/clock.ts';
import { date, duration, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

export const troubleNames: Readonly<Record<NodeTroubleName, () => string>> = {
  silent: m.console_node_silent,
  clock: m.console_node_clock,
  disk: m.console_node_disk,
  certificate: m.console_node_certificate,
  capped: m.console_node_capped,
  no_tcp: m.console_node_no_tcp,
  no_openconnect: m.console_node_no_openconnect,
  no_proxy: m.console_node_no_proxy,
  no_proxy_engine: m.console_node_no_proxy_engine,
  release: m.console_node_release,
};

export type Tone = 'act' | 'look' | 'planned' | 'none';

export interface NodeWord {
  readonly tone: Tone;
  readonly word: string;
}

/** Of the provider's cap, from which on it is worth a look. */
const CAP_SHARE = 0.8;

export function isNearCap(share: number): boolean {
  return share >= CAP_SHARE;
}

/** How a server is, in a word: what to act on first, then what to look at, then what is planned. */
export function stateOf(node: LiveNode, figures?: NodeFigures): NodeWord {
  if (node.status === 'revoked') return { tone: 'none', word: m.console_node_revoked() };
  if (node.status === 'inactive') return { tone: 'none', word: m.console_node_inactive() };
  if (node.suspicious) return { tone: 'act', word: m.console_node_suspicious() };
  if (node.seen_at === null) return { tone: 'planned', word: m.console_node_expected() };
  if (node.troubles.includes('silent')) {
    const time = duration((now() - Date.parse(node.seen_at)) / 1000);
    return { tone: 'act', word: m.console_node_silent_for({ time }) };
  }
  const [trouble] = node.troubles;
  if (trouble) return { tone: 'look', word: troubleNames[trouble]() };
  if (figures?.cap && isNearCap(figures.month / figures.cap))
    return { tone: 'look', word: m.console_node_near_cap({ percent: percent(figures.month / figures.cap) }) };
  if (node.status === 'retired')
    return { tone: 'planned', word: m.console_node_retired({ date: node.retires_at ? date(node.retires_at) : '–' }) };
  if (node.status === 'draining') return { tone: 'planned', word: m.console_node_draining() };
  return { tone: 'none', word: m.console_node_on() };
}

const order: readonly Tone[] = ['act', 'look', 'planned', 'none'];

/** One for all comparisons: to make it takes longer than to compare. */
const byName = new Intl.Collator('en', { numeric: true });

/** Exceptions first; among equals by name, so that rows stay where they are. */
export function sorted(nodes: readonly LiveNode[], figures: ReadonlyMap<string, NodeFigures>): LiveNode[] {
  const rank = (node: LiveNode) =>
    node.status === 'revoked' ? order.length : order.indexOf(stateOf(node, figures.get(node.id)).tone);
  return nodes
    .map((node) => ({ node, rank: rank(node) }))
    .sort((a, b) => a.rank - b.rank || byName.compare(a.node.name, b.node.name))
    .map(({ node }) => node);
}

export function percent(share: number): string {
  return m.console_percent({ value: number(Math.round(share * 100)) });
}

import type { fleet } from '@raha/contract/admin/fleet.ts';
import { isPermitted, type Permission } from '@raha/contract/admin/roles.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { activateNode } from '../fleet/activate-node.ts';
import { drainNode } from '../fleet/drain-node.ts';
import { findNode } from '../fleet/nodes.ts';
import { retireNode } from '../fleet/retire-node.ts';
import { revokeNode } from '../fleet/revoke-node.ts';
import { type TraceDeps, tracePort } from '../provisioning/trace-port.ts';
import { daysOf, reportNodes } from '../reports/reports.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { holdPermission } from '../staff/standing.ts';
import { describeLiveNodes, describeNode, describeNodeFigures } from './describe-fleet.ts';
import { refusing } from './refusing.ts';
import { remember } from './remember.ts';

interface Deps extends TraceDeps {
  readonly exchangeRate: ExchangeRateSource;
}

/** How long a reading is shared, in seconds: the console asks for each a little less often. */
const LIVE = 4;
const FIGURES = 55;
const MARGINS = 600;

/** Servers, and what an operator does with them through the use cases of the command line. */
export function fleetRoutes(deps: Deps): AdminHandlers<typeof fleet> {
  const { db, clock, exchangeRate } = deps;
  const live = remember(clock, LIVE, () => describeLiveNodes(db, clock.now()));
  const figures = remember(clock, FIGURES, () => describeNodeFigures(db, exchangeRate, clock.now()));
  const margins = remember(clock, MARGINS, () => {
    return reportNodes(db, exchangeRate, daysOf({ from: undefined, to: undefined }, clock.now()));
  });
  const figuresFor = async ({ role }: StaffCaller) => {
    const { value, at } = await figures.read();
    const seesCost = isPermitted(role, 'fleet.margins');
    return { at, nodes: seesCost ? value : value.map((node) => ({ ...node, cost: null })) };
  };
  const change = async (act: () => Promise<unknown>) => {
    await refusing('node_state_differs', act);
    live.forget();
    return { success: true as const };
  };
  return {
    async listLiveNodes() {
      const { value: nodes, at } = await live.read();
      return { success: true, data: { nodes, at: at.toISOString() } };
    },
    async listNodeFigures({ caller }) {
      const { nodes, at } = await figuresFor(caller);
      return { success: true, data: { nodes, at: at.toISOString() } };
    },
    async listNodeMargins() {
      const { value, at } = await margins.read();
      const wire = (amount: bigint | undefined) => (amount === undefined ? null : toWire(amount));
      const nodes = value.map(({ node: name, charged, cost, margin }) => {
        return { name, charged: toWire(charged), cost: wire(cost), margin: wire(margin) };
      });
      return { success: true, data: { nodes, at: at.toISOString() } };
    },
    async getNodeFacts({ caller, params: { id } }) {
      const { nodes } = await figuresFor(caller);
      const own = nodes.find((node) => node.id === id);
      return { success: true, data: await describeNode(db, id, clock.now(), own) };
    },
    async drainNode({ caller, params, body: { reason } }) {
      return await change(() => drainNode(deps, orderOf(caller, params.id, reason)));
    },
    async activateNode({ caller, params, body: { reason } }) {
      return await change(() => activateNode(deps, orderOf(caller, params.id, reason)));
    },
    async retireNode({ caller, params, body: { to, days, reason } }) {
      const order = { ...orderOf(caller, params.id, reason), movesTo: to ?? null, days };
      return await change(() => retireNode(deps, order));
    },
    async tracePort({ caller, params, body: { reason, remote_port: remotePort, ...about } }) {
      const order = { ...orderOf(caller, params.id, reason, 'abuse.trace'), about: { ...about, remotePort } };
      return { success: true, data: await refusing('node_state_differs', () => tracePort(deps, order)) };
    },
    async revokeNode({ caller, params, body: { to, name, reason } }) {
      const node = await findNode(db, params.id);
      if (!node) throw new Refusal('not_found');
      if (node.name !== name.trim()) throw new Refusal('node_name_differs');
      const order = { ...orderOf(caller, params.id, reason), movesTo: to ?? null };
      return await change(() => revokeNode(deps, order));
    },
  };
}

function orderOf(caller: StaffCaller, nodeId: string, reason: string, permission: Permission = 'fleet.manage') {
  const actor = actorOf(caller);
  return { actor, nodeId, reason, stillMay: (tx: Tx) => holdPermission(tx, actor, permission) };
}

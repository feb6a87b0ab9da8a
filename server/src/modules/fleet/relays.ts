import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings, RelayHealth } from '@raha/contract/node/protocol.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { type RelayState, relayState } from './choose-entries.ts';
import { findNode } from './nodes.ts';
import { forwardedPorts, relayCommand } from './relay-machine.ts';
import { type RelayRow, selectRelayByName, selectRelays, selectRelaysOf, updateRelayHealth } from './relay-tables.ts';
import { nodeWireguardPorts } from './settings.ts';

/** A machine that forwards a node's ports to it. */
export type Relay = RelayRow;

export async function listRelays(db: Executor): Promise<Relay[]> {
  return await selectRelays(db);
}

/** The names of those that do not answer their nodes at one of their addresses, and of those that no node has tried yet. */
export async function listRelaysInTrouble(
  db: Executor,
): Promise<{ readonly away: string[]; readonly untried: string[] }> {
  const relays = (await selectRelays(db)).map((relay) => ({ name: relay.name, states: relayStates(relay) }));
  const named = (state: RelayState) => relays.filter(({ states }) => states.includes(state)).map(({ name }) => name);
  return { away: named('away'), untried: named('untried') };
}

function relayStates(relay: Relay): RelayState[] {
  return ([4, 6] as const)
    .filter((family) => (family === 4 ? relay.address4 : relay.address6) !== null)
    .map((family) => relayState(relay, family));
}

/** The relay of a name that the operator gave. */
export async function getRelayByName(db: Executor, name: string): Promise<Relay> {
  const relay = await selectRelayByName(db, name);
  if (!relay) throw new OperatorMistake('not-found', `There is no relay "${name}".`);
  return relay;
}

/** The command for the relay's machine, with the ports that its node has now. */
export async function readRelayCommand(db: Executor, relay: Relay): Promise<string> {
  const node = await findNode(db, relay.node_id);
  if (!node) throw new Error(`node ${relay.node_id} is gone`);
  return relayCommand({ ...relay, ...forwardedPorts(node, await getSetting(db, nodeWireguardPorts)) });
}

/** The part of a node's settings with which it tries its relays; undefined: it has none. */
export async function readRelaySettings(db: Executor, nodeId: string): Promise<NodeSettings['relays']> {
  const relays = (await selectRelaysOf(db, nodeId)).map(({ id, address4, address6 }) => ({ id, address4, address6 }));
  if (relays.length === 0) return undefined;
  const { probePort, probeMs, perNode } = limits.relay;
  return { probePort, periodMs: probeMs, relays: relays.slice(0, perNode) };
}

export async function noteRelayHealth(
  tx: Tx,
  nodeId: string,
  measured: readonly RelayHealth[],
  now: Date,
): Promise<void> {
  if (measured.length > 0) await updateRelayHealth(tx, nodeId, measured, now);
}

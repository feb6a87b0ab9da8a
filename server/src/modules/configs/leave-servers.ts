import { limits } from '@raha/contract/limits.ts';
import { byIndex, inTransaction, type Tx } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Notices } from '../../platform/notices.ts';
import { newId } from '../../platform/random.ts';
import { lockPerson } from '../accounts/people.ts';
import { releaseLease } from '../billing/release-lease.ts';
import { changeWanted } from '../billing/restore-service.ts';
import { freeAddress, listNodes, type Node } from '../fleet/nodes.ts';
import { freshPing, isServing, recommendationScore, takesConfigs } from '../fleet/rules.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { finishMeters, lockMeters } from '../metering/leases.ts';
import { lockAllowances } from '../subscriptions/allowance.ts';
import { type ConfigDeps, placeConfig } from './create-config.ts';
import { makeKeys, type SealedKeys } from './keys.ts';
import {
  type ConfigRow,
  lockConfig,
  selectConfigsOfUser,
  selectConfigsOn,
  selectLeaving,
  selectUnconfirmed,
  updateDeleted,
  updateLeaving,
  updateName,
  updateRemoved,
} from './tables.ts';

export interface LeaveDeps extends ConfigDeps {
  readonly notices: Notices;
  readonly log: Log;
}

/** So many at a time; the next round goes on. */
const AT_ONCE = 200;

/**
 * One round of what the operator's `nodes retire` and `nodes revoke` set off: configs get their successors on another
 * server, end when their time is over, and are closed where no node will ever confirm it. Each config in a transaction of
 * its own; a round that breaks off is gone on with by the next.
 */
export async function leaveServers(deps: LeaveDeps): Promise<void> {
  const nodes = await listNodes(deps.db);
  for (const node of nodes.filter(({ status }) => status === 'retired' || status === 'revoked')) {
    for (const config of await selectConfigsOn(deps.db, node.id, AT_ONCE)) {
      await leave(deps, config, node, nodes).catch((err: unknown) => {
        deps.log.warn({ err, config: config.id, node: node.name }, 'a config could not be moved yet');
      });
    }
  }
  for (const { id } of await selectLeaving(deps.db, deps.clock.now(), AT_ONCE)) await end(deps, id);
  for (const node of nodes.filter(({ status }) => status === 'revoked')) {
    for (const config of await selectUnconfirmed(deps.db, node.id, AT_ONCE)) await close(deps, config);
  }
}

/**
 * A successor under the same name on another server, if there is one and the server side made the keys: a device that
 * keeps its own has to be asked. Without a server to go to it waits, until its own is out.
 */
async function leave(deps: LeaveDeps, seen: ConfigRow, from: Node, nodes: readonly Node[]): Promise<void> {
  const now = deps.clock.now();
  const endsAt = from.retires_at ?? now;
  const target = chooseTarget(nodes, seen.protocol, from.moves_to, now);
  if (!target && endsAt > now) return;
  const id = newId(now);
  const isMoved = target !== undefined && seen.private_key_sealed !== null;
  const keys = isMoved ? await makeKeys(deps, { id, protocol: seen.protocol, nodeId: target.id }, {}) : undefined;
  await inTransaction(deps.db, async (tx) => {
    await lockPerson(tx, seen.user_id);
    const config = await lockConfig(tx, seen.id);
    if (!config || config.deleted_at || config.leaves_at) return;
    await updateLeaving(tx, config.id, endsAt);
    if (target && keys) await succeed(tx, deps, { config, id, from, target, keys });
    await deps.notices.tell(tx, [
      {
        userId: config.user_id,
        kind: 'config_moved',
        cause: config.id,
        data: {
          name: config.name,
          endsAt: endsAt.toISOString(),
          country: target?.country ?? '',
          hasFile: keys !== undefined,
        },
      },
    ]);
    await deps.bus.announce(tx, {
      topic: 'user',
      userId: config.user_id,
      event: { type: 'config', configId: config.id },
    });
  });
}

interface Succession {
  readonly config: ConfigRow;
  readonly id: string;
  readonly from: Node;
  readonly target: Node;
  readonly keys: SealedKeys;
}

async function succeed(tx: Tx, deps: LeaveDeps, { config, id, from, target, keys }: Succession): Promise<void> {
  const now = deps.clock.now();
  const taken = new Set((await selectConfigsOfUser(tx, config.user_id)).map(({ name }) => name));
  await updateName(tx, config.id, nameOfLeaving(config, from, taken));
  await lockAccounts(tx, [config.user_id]);
  await lockAllowances(tx, [config.user_id], now);
  const { user_id: userId, protocol, name, blocked } = config;
  await placeConfig(tx, deps, { id, userId, node: target, protocol, name, keys, blocked }, now);
  await deps.bus.announce(tx, { topic: 'node-state', nodeId: target.id });
}

/** The best by the score that people see, or where the operator wants them. */
function chooseTarget(nodes: readonly Node[], protocol: string, wanted: string | null, now: Date): Node | undefined {
  const score = (node: Node) => recommendationScore(node.load ?? 0, freshPing(node, now));
  return nodes
    .filter((node) => node.address && node.wireguard_public_key && isServing(node, protocol, now))
    .filter((node) => takesConfigs(node, now) && (wanted === null || node.id === wanted))
    .sort((a, b) => score(b) - score(a))[0];
}

/** The name goes to the successor. */
function nameOfLeaving({ id, name }: ConfigRow, from: Node, taken: ReadonlySet<string>): string {
  for (const mark of [` (${from.name})`, ` (${id.slice(-8)})`]) {
    const other = name.slice(0, Math.max(0, limits.config.nameMax - mark.length)) + mark;
    if (!taken.has(other)) return other;
  }
  return id;
}

/** Its time is over; the node takes a last reading, then money and address come back. */
async function end(deps: LeaveDeps, id: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const config = await lockConfig(tx, id);
    if (!config || config.deleted_at) return;
    await lockMeters(tx, [id]);
    await updateDeleted(tx, id, deps.clock.now());
    await changeWanted(tx, deps.bus, [{ configId: id, nodeId: config.node_id }]);
    await deps.bus.announce(tx, { topic: 'user', userId: config.user_id, event: { type: 'config', configId: id } });
  });
}

/** The node of this config is heard no more: what it has not reported is given up, and its lease comes back. */
async function close(deps: LeaveDeps, { id, user_id }: ConfigRow): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    await byIndex(tx);
    const [meter] = await lockMeters(tx, [id]);
    if (meter) {
      await finishMeters(tx, [id]);
      await lockAccounts(tx, [user_id]);
      await releaseLease(tx, meter, 0n, now);
    }
    for (const { node_id, slot } of await updateRemoved(tx, [id], now)) await freeAddress(tx, node_id, slot, now);
  });
}

import { limits } from '@raha/contract/limits.ts';
import { byIndex, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockUser } from '../accounts/users.ts';
import { releaseLeases } from '../billing/release-leases.ts';
import { changeWanted } from '../billing/restore-service.ts';
import { makeKeys, type SealedKeys } from '../client-files/keys.ts';
import { freeAddress, listNodes, type Node } from '../fleet/nodes.ts';
import { freshPing, isServing, recommendationScore, takesConfigs } from '../fleet/rules.ts';
import { nodeStateChanged } from '../fleet/signals.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { finishMeters, lockMeters, updateMeterLeaving } from '../metering/leases.ts';
import { lockAllowances } from '../subscriptions/allowance.ts';
import { addConfigToNode, type ConfigDeps } from './create-config.ts';
import { moveFamilyLink } from './family-tables.ts';
import type { ConfigNotifications } from './notifications.ts';
import { configChanged } from './signals.ts';
import {
  type ConfigRow,
  clearLeaving,
  lockConfig,
  selectConfigs,
  selectConfigsOfUser,
  selectLeaving,
  selectNotEndingAt,
  selectUnconfirmed,
  updateDeleted,
  updateLeaving,
  updateName,
  updateRemoved,
} from './tables.ts';

export interface LeaveDeps extends ConfigDeps {
  readonly jobs: Jobs;
  readonly notifier: Notifier<ConfigNotifications>;
  readonly log: Log;
}

const PAGE = 200;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * One round of the work that follows `nodes retire` and `nodes revoke`. Configs get replacements on another server, end
 * when their time is over, and are closed if their node will never confirm the removal. The node's end date is
 * authoritative; the configs' dates follow it in the next round. Each config has a transaction of its own, and the next
 * round continues an interrupted one.
 */
export async function leaveServers(deps: LeaveDeps): Promise<void> {
  for (const node of (await listNodes(deps.db)).filter(isLeft)) await leaveNode(deps, node);
  // That may have taken minutes, in which the operator may have changed the nodes again.
  const nodes = await listNodes(deps.db);
  const staying = nodes.filter((node) => !isLeft(node)).map(({ id }) => id);
  await inTransaction(deps.db, (tx) => clearLeaving(tx, staying));
  const ending = pagesOf((after) => selectLeaving(deps.db, deps.clock.now(), after, PAGE));
  for await (const page of ending) await forEach(deps, page, (config) => end(deps, config));
  for (const { id } of nodes.filter(({ status }) => status === 'revoked')) {
    const unconfirmed = pagesOf((after) => selectUnconfirmed(deps.db, id, after, PAGE));
    for await (const page of unconfirmed) await forEach(deps, page, (config) => close(deps, config));
  }
}

function isLeft({ status }: Node): boolean {
  return status === 'retired' || status === 'revoked';
}

/** All rows in id order, so that a config that cannot move yet does not hold up the next ones. */
async function* pagesOf(select: (after: string) => Promise<ConfigRow[]>): AsyncGenerator<ConfigRow[]> {
  let after: string | undefined = BEFORE_ALL;
  while (after) {
    const page = await select(after);
    yield page;
    after = page.length === PAGE ? page.at(-1)?.id : undefined;
  }
}

/** A config that fails does not stop the others and is tried again in the next round. */
async function forEach(
  deps: LeaveDeps,
  configs: readonly ConfigRow[],
  work: (config: ConfigRow) => Promise<void>,
): Promise<void> {
  for (const config of configs) {
    await work(config).catch((err: unknown) => {
      deps.log.warn({ err, config: config.id, node: config.node_id }, 'a config could not leave its server yet');
    });
  }
}

/**
 * The servers as read at the start of a page, with one time for all, so that none seems offline while the page is
 * processed.
 */
interface View {
  readonly now: Date;
  readonly from: Node;
  readonly endsAt: Date;
  readonly nodes: readonly Node[];
  /** Servers that turned out to have no free address. */
  readonly full: Set<string>;
}

async function leaveNode(deps: LeaveDeps, { id: nodeId, retires_at }: Node): Promise<void> {
  const endsAt = retires_at ?? deps.clock.now();
  for await (const page of pagesOf((after) => selectNotEndingAt(deps.db, nodeId, endsAt, after, PAGE))) {
    const now = deps.clock.now();
    const nodes = await listNodes(deps.db);
    const from = nodes.find(({ id }) => id === nodeId);
    // The operator has changed the node: the next round handles it.
    if (!from || !isLeft(from) || from.retires_at?.getTime() !== retires_at?.getTime()) return;
    const view = { now, from, endsAt, nodes, full: new Set<string>() };
    await forEach(deps, page, (config) => leave(deps, config, view));
  }
}

/**
 * Moves a config to the best server with room, under the same name, if the server made its keys; if the device keeps
 * its own key, its user has to do it. If no server has room, the config waits until its own server ends. A config
 * already marked only gets the new end date.
 */
async function leave(deps: LeaveDeps, config: ConfigRow, view: View): Promise<void> {
  const targets = rankTargets(view, config.protocol);
  const isToMove = config.replacement_id === null && config.private_key_sealed !== null;
  if (isToMove && (await move(deps, config, view, targets))) return;
  const isWaiting = config.leaves_at === null && (isToMove || targets.length === 0);
  if (!isWaiting || view.endsAt <= view.now) await mark(deps, config, view);
}

/** Moves a config to the first target that accepts it; false if none does. */
async function move(deps: LeaveDeps, config: ConfigRow, view: View, targets: readonly Node[]): Promise<boolean> {
  for (const target of targets) {
    try {
      await mark(deps, config, view, target);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'server_full') view.full.add(target.id);
    }
  }
  return false;
}

/**
 * Sets when the config ends and notifies its owner. With a target, the replacement is created in the same transaction;
 * if that is refused, nothing changes.
 */
async function mark(deps: LeaveDeps, seen: ConfigRow, { from, endsAt, nodes }: View, target?: Node): Promise<void> {
  const id = newId(deps.clock.now());
  const keys = target && (await makeKeys(deps, { id, protocol: seen.protocol, nodeId: target.id }, {}));
  await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, seen.user_id);
    const config = await lockConfig(tx, seen.id);
    if (!config || config.deleted_at || config.leaves_at?.getTime() === endsAt.getTime()) return;
    const isNew = target && keys && config.replacement_id === null;
    if (isNew) await replace(tx, deps, { config, id, from, target, keys });
    const replacementId = isNew ? id : config.replacement_id;
    await updateLeaving(tx, config.id, endsAt, replacementId);
    const [replacement] = await selectConfigs(tx, replacementId ? [replacementId] : []);
    // The owner may have deleted the replacement, or given it a key kept on the device.
    const hasFile = replacement !== undefined && replacement.private_key_sealed !== null;
    await deps.notifier.notify(tx, [
      {
        userId: config.user_id,
        kind: 'config_moved',
        // A new end date is notified again.
        cause: `${config.id} ${endsAt.toISOString()}`,
        data: {
          name: hasFile ? replacement.name : config.name,
          endsAt: endsAt.toISOString(),
          country: nodes.find((node) => node.id === replacement?.node_id)?.country ?? '',
          hasFile,
        },
      },
    ]);
    await deps.bus.announce(tx, configChanged, { userId: config.user_id, configId: config.id });
  });
}

interface Replacement {
  readonly config: ConfigRow;
  readonly id: string;
  readonly from: Node;
  readonly target: Node;
  readonly keys: SealedKeys;
}

async function replace(tx: Tx, deps: LeaveDeps, { config, id, from, target, keys }: Replacement): Promise<void> {
  const now = deps.clock.now();
  const taken = new Set((await selectConfigsOfUser(tx, config.user_id)).map(({ name }) => name));
  await updateName(tx, config.id, nameOfLeaving(config, from, taken));
  // Before the first lease of the replacement, which takes this config's place in a plan.
  await updateMeterLeaving(tx, config.id);
  await lockAccounts(tx, [config.user_id]);
  await lockAllowances(tx, [config.user_id], now);
  const { user_id: userId, protocol, name, blocked, offers_openconnect: offersOpenconnect } = config;
  const moved = { id, userId, node: target, protocol, name, keys, offersOpenconnect, blocked, replaces: config.id };
  await addConfigToNode(tx, deps, moved, now);
  await moveFamilyLink(tx, config.id, id, now);
  await deps.bus.announce(tx, nodeStateChanged, { nodeId: target.id });
}

/** The best first, by the score that users see; or only the one that the operator chose. */
function rankTargets({ from, nodes, full, now }: View, protocol: string): Node[] {
  const score = (node: Node) => recommendationScore(node.load ?? 0, freshPing(node, now));
  return nodes
    .filter((node) => node.address && node.wireguard_public_key && isServing(node, protocol, now))
    .filter((node) => takesConfigs(node, now) && (from.moves_to === null || node.id === from.moves_to))
    .filter((node) => !full.has(node.id))
    .sort((a, b) => score(b) - score(a));
}

/** The replacement takes over the name; this is the new name of the old config. */
function nameOfLeaving({ id, name }: ConfigRow, from: Node, taken: ReadonlySet<string>): string {
  for (const mark of [` (${from.name})`, ` (${id.slice(-8)})`]) {
    const other = name.slice(0, Math.max(0, limits.config.nameMax - mark.length)) + mark;
    if (!taken.has(other)) return other;
  }
  return id;
}

/** Ends a config whose time is over: the node takes a last reading, then money and address are released. */
async function end(deps: LeaveDeps, { id }: ConfigRow): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    const config = await lockConfig(tx, id);
    // The end date may have changed since the row was read.
    if (!config || config.deleted_at || !config.leaves_at || config.leaves_at > now) return;
    await lockMeters(tx, [id]);
    await updateDeleted(tx, id, now);
    await changeWanted(tx, deps.bus, [{ configId: id, nodeId: config.node_id }]);
    await deps.bus.announce(tx, configChanged, { userId: config.user_id, configId: id });
  });
}

/**
 * Closes a config whose node is ignored from now on: usage not reported by then is written off, and the lease is
 * returned.
 */
async function close(deps: LeaveDeps, { id, user_id }: ConfigRow): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    await byIndex(tx);
    const [meter] = await lockMeters(tx, [id]);
    if (meter) {
      await finishMeters(tx, [id]);
      await lockAccounts(tx, [user_id]);
      await releaseLeases(tx, [{ meter, limit: 0n }], now);
      // Also if no toman came back: bytes of a plan may have.
      await deps.jobs.send(tx, fundsAdded, { userId: user_id });
    }
    for (const { node_id, slot } of await updateRemoved(tx, [id], now)) await freeAddress(tx, node_id, slot, now);
  });
}

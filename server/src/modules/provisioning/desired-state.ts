import { limits } from '@raha/contract/limits.ts';
import type { DesiredState, Lease, Peer } from '@raha/contract/node/protocol.ts';
import type { TraceQuestion } from '@raha/contract/node/trace.ts';
import type { Bus } from '../../platform/bus.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { confirmService } from '../accounts/service.ts';
import { speedsOf } from '../billing/lease-speeds.ts';
import { isUsedUp } from '../billing/rules.ts';
import { openPresharedKey, proxyIdOfConfig } from '../client-files/keys.ts';
import { readConfigs, type StoredConfig } from '../configs/list-configs.ts';
import type { ConfigNotifications } from '../configs/notifications.ts';
import { configChanged } from '../configs/signals.ts';
import { findFilteredUsers } from '../dns-filtering/dns-filtering.ts';
import { commonNameOf, readCertifiedSettings } from '../fleet/certificate-authority.ts';
import { noteApplied } from '../fleet/node-state.ts';
import { findNode, type Node } from '../fleet/nodes.ts';
import { readRelaySettings } from '../fleet/relays.ts';
import { address4Of, address6Of, nodeSettingsOf } from '../fleet/rules.ts';
import { nodeWireguardPorts } from '../fleet/settings.ts';
import { nodeStateChanged } from '../fleet/signals.ts';
import { type DesiredLease, listAppliedMeters, listDesiredLeases } from '../metering/desired-leases.ts';
import { wireLimit } from '../metering/rules.ts';
import { type NetworkDirectory, readListVersion } from '../reach/networks.ts';
import { traceAnswered, traceAsked } from './signals.ts';
import { readWalledGarden, type WalledGardenDeps } from './walled-garden.ts';

export interface DesiredStateDeps extends WalledGardenDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly bus: Bus;
  /** Aborted when the server is about to stop: polls end. */
  readonly draining: AbortSignal;
  readonly notifier: Notifier<ConfigNotifications>;
  readonly networks: NetworkDirectory;
}

/**
 * Answers a node's long poll. `after` is the generation that the node has applied, so each poll also acknowledges it,
 * and panels show that. A node without state, in a new epoch, or with state of a history that is lost (restored
 * database) gets the whole list.
 */
export async function waitForDesiredState(
  deps: DesiredStateDeps,
  node: Node,
  query: { after: number; epoch: string; wait: number; traces?: '1' | undefined },
  closed: AbortSignal,
): Promise<DesiredState> {
  const newEpoch = node.epoch !== query.epoch;
  const reported = { generation: query.after, epoch: query.epoch, knownEpoch: node.epoch };
  await notifyLive(deps, node, query.after);
  if (await noteApplied(deps.db, node.id, reported, deps.clock.now())) await announceApplied(deps, node, query.after);
  const state = await readDesiredState(deps, node.id, newEpoch ? 0 : query.after, query.epoch);
  if (state.kind !== 'unchanged' || query.wait === 0) return state;
  const trace = await waitForChange(deps, node.id, query, closed);
  const changed = await readDesiredState(deps, node.id, query.after, query.epoch);
  // A question that a change overtook comes again.
  return trace && changed.kind === 'unchanged' ? { ...changed, trace } : changed;
}

async function readDesiredState(
  deps: DesiredStateDeps,
  nodeId: string,
  applied: number,
  epoch: string,
): Promise<DesiredState> {
  // The generation is read before the rows: a change that commits in between is delivered now and again next time.
  const node = await findNode(deps.db, nodeId);
  if (!node) throw new Error(`node ${nodeId} is gone`);
  const generation = Number(node.generation);
  const isOfHere = applied <= generation && BigInt(applied) >= node.snapshot_below;
  const after = isOfHere ? applied : 0;
  if (after > 0 && generation === after) return { kind: 'unchanged', generation };
  const leases = await listDesiredLeases(deps.db, nodeId, epoch, after === 0 ? -1n : BigInt(after));
  const configs = await readConfigs(
    deps.db,
    leases.map((lease) => lease.config_id),
  );
  const filtered = await findFilteredUsers(deps.db, [
    ...new Set([...configs.values()].map((config) => config.user_id)),
  ]);
  const speeds = await speedsOf(deps.db, leases);
  const peers: Peer[] = [];
  const removed: string[] = [];
  for (const lease of leases) {
    const config = configs.get(lease.config_id);
    if (config?.deleted_at) removed.push(config.id);
    else if (config) {
      const wanted = { ...config, dnsFiltering: filtered.has(config.user_id), hasProxy: node.proxy_url !== null };
      peers.push(toPeer(deps.vault, wanted, { ...lease, ...speeds.get(config.id) }, epoch));
    }
  }
  const settings = nodeSettingsOf(
    node,
    await readCertifiedSettings(deps, node),
    await readWalledGarden(deps),
    await getSetting(deps.db, nodeWireguardPorts),
    await readListVersion(deps),
    await readRelaySettings(deps.db, node.id),
  );
  return after === 0
    ? { kind: 'snapshot', generation, settings, peers, removed }
    : { kind: 'delta', generation, settings, peers, removed };
}

function toPeer(
  vault: Vault,
  config: StoredConfig & { readonly dnsFiltering: boolean; readonly hasProxy: boolean },
  lease: DesiredLease & Pick<Lease, 'maxMbit'>,
  epoch: string,
): Peer {
  const { id, protocol, slot, blocked } = config;
  const shared = {
    id,
    address4: address4Of(protocol, slot),
    address6: address6Of(protocol, slot),
    blocked,
    ...(config.dnsFiltering ? { dnsFiltering: true } : {}),
    lease: {
      epoch,
      version: lease.lease_version,
      limitBytes: Number(wireLimit(lease.counted, lease.target, lease.billed_bytes)),
      ...(lease.maxMbit === undefined ? {} : { maxMbit: lease.maxMbit }),
    },
  };
  switch (protocol) {
    case 'wireguard':
      return { ...shared, protocol, publicKey: config.credential, presharedKey: openPresharedKey(vault, config) };
    case 'openvpn':
      return {
        ...shared,
        protocol,
        commonName: commonNameOf(config.credential),
        ...(config.hasProxy ? { proxyId: proxyIdOfConfig(vault, config) } : {}),
      };
    case 'ikev2':
      return { ...shared, protocol, userName: config.credential, ntHash: openPresharedKey(vault, config) };
  }
}

/**
 * Resolves when the node's desired state has changed, the wait is over, or the node has disconnected; with a question, when
 * one is asked that the node answers. One whose agent is of before traces goes on waiting, and the asker is told.
 */
async function waitForChange(
  deps: DesiredStateDeps,
  nodeId: string,
  query: { after: number; wait: number; traces?: '1' | undefined },
  closed: AbortSignal,
): Promise<TraceQuestion | undefined> {
  return await new Promise((resolve) => {
    const end = (question?: TraceQuestion) => {
      clearTimeout(timer);
      unsubscribe();
      unsubscribeTraces();
      offReconnect();
      closed.removeEventListener('abort', finish);
      resolve(question);
    };
    const finish = () => end();
    const timer = setTimeout(finish, query.wait * 1000);
    closed.addEventListener('abort', finish, { once: true });
    const unsubscribeTraces = deps.bus.subscribe(traceAsked, (asked) => {
      if (asked.nodeId !== nodeId) return;
      if (query.traces) end(asked.question);
      else deps.bus.announceSoon(traceAnswered, { nodeId, id: asked.question.id, answer: { kind: 'old_agent' } });
    });
    const unsubscribe = deps.bus.subscribe(nodeStateChanged, (changed) => {
      if (changed.nodeId === nodeId) finish();
    });
    const offReconnect = deps.bus.onReconnect(finish);
    // A change may have committed between the read and the subscription.
    findNode(deps.db, nodeId).then(
      (node) => {
        if (!node || node.generation > BigInt(query.after) || closed.aborted) finish();
      },
      () => finish(),
    );
  });
}

/**
 * Notifies owners whose configs their node has applied for the first time after a long wait, and confirms service that
 * came back. This happens before the acknowledgement is stored: after a crash in between, the node's next poll repeats
 * it, and nobody is notified twice.
 */
async function notifyLive(deps: DesiredStateDeps, node: Node, applied: number): Promise<void> {
  const before = node.applied_generation ?? 0n;
  if (BigInt(applied) <= before) return;
  const now = deps.clock.now();
  const meters = await listAppliedMeters(deps.db, node.id, before, BigInt(applied), limits.node.addressesPerNode);
  const configs = await readConfigs(
    deps.db,
    meters.map((meter) => meter.config_id),
  );
  const live = [...configs.values()].filter(({ blocked, deleted_at }) => !blocked && deleted_at === null);
  const open = new Set(
    meters.filter((meter) => !isUsedUp(meter.billed_bytes, meter.lease_limit_bytes)).map(({ config_id }) => config_id),
  );
  const served = new Set(live.filter(({ id }) => open.has(id)).map(({ user_id }) => user_id));
  await inTransaction(deps.db, async (tx) => {
    // A user who makes a config watches it become ready. A notification is for one who may have left by then.
    const waited = live.filter(({ created_at }) => created_at <= addSeconds(now, -limits.node.longWaitSeconds));
    await deps.notifier.notify(
      tx,
      waited.map(({ id, user_id, name }) => ({ userId: user_id, kind: 'config_live', cause: id, data: { name } })),
    );
    await confirmService(tx, deps.bus, [...served], now);
  });
}

/** Panels show a change as applied only once the node has acknowledged it. */
async function announceApplied(deps: DesiredStateDeps, node: Node, applied: number): Promise<void> {
  const before = node.applied_generation ?? 0n;
  const meters = await listAppliedMeters(deps.db, node.id, before, BigInt(applied), limits.page.max);
  for (const { user_id, config_id } of meters) {
    deps.bus.announceSoon(configChanged, { userId: user_id, configId: config_id });
  }
}

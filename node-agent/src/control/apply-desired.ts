import type { DesiredState, NodeSettings, Peer } from '@raha/contract/node/protocol.ts';
import { slotOf } from '../firewall/slot.ts';
import { decideConfigs, type MeterOrder, withConfigs } from '../metering/usage.ts';
import { alarmBytes, type Runtime, slotLimit } from '../runtime.ts';
import { openTunnel, tryTunnel } from '../tunnels/open-tunnel.ts';
import { type Changes, type Credential, credentialOf, identityOf, planChanges } from './plan.ts';

export interface Applied {
  readonly kind: 'applied';
  /** Something was reopened, and may have to be forgiven what it dropped. */
  readonly reopened: boolean;
}

/**
 * Makes kernel and daemon serve what is wanted: one line to nft and one to WireGuard, at the same time. Flat in the
 * number of configs for a delta. Throws when either fails; then nothing is acknowledged and the same delta comes again.
 */
export async function applyDesired(
  runtime: Runtime,
  wanted: DesiredState,
  finishLeaving: () => Promise<void>,
): Promise<Applied | { readonly kind: 'refused' }> {
  const plan = planChanges(wanted, runtime.peers, runtime);
  if (plan.kind === 'refuse') {
    runtime.log.error('mass_removal_refused', { removals: plan.removals, of: plan.of, generation: wanted.generation });
    return { kind: 'refused' };
  }
  if (plan.kind === 'nothing' || wanted.kind === 'unchanged') {
    runtime.generation = wanted.generation;
    return { kind: 'applied', reopened: false };
  }
  if (takesOverSlots(runtime, plan)) {
    // Those that leave are read for the last time before others begin to count in their slots.
    const first = { kind: 'delta', generation: runtime.generation, settings: runtime.settings } as const;
    await applyDesired(runtime, { ...first, peers: [], removed: [...plan.removed] }, finishLeaving);
    return await applyDesired(runtime, wanted, finishLeaving);
  }
  const { orders, unservable } = sortOut(runtime, plan);
  if (isAnySlotUnread(runtime, orders)) await finishLeaving();
  const before = runtime.usage;
  const removed =
    wanted.kind === 'delta'
      ? wanted.removed
      : [...new Set([...plan.removed, ...findOrphans(runtime, wanted), ...wanted.removed])];
  const changed = decideConfigs(before, orders, removed);
  const limits = [...changed]
    .filter(([, config]) => config.presence !== 'left')
    .map(([id, config]) => slotLimit(before, config, before.configs.get(id)));
  const install = plan.install.filter((peer) => !unservable.has(peer.id));
  const forget = wanted.kind === 'snapshot' ? [...plan.forget, ...findStrangers(runtime, wanted.peers)] : plan.forget;
  const applied = Promise.all([
    runtime.firewall.setLimits(limits),
    ...runtime.tunnels.map(async (tunnel) => {
      const names = forget.filter(({ protocol }) => protocol === tunnel.protocol).map(({ name }) => name);
      await tunnel.apply(
        install.filter(({ protocol }) => protocol === tunnel.protocol),
        names,
      );
    }),
  ]);
  // Copying the state takes a while with many configs: meanwhile kernel and daemon are at work.
  runtime.usage = withConfigs(before, changed);
  await applied;
  remember(runtime, plan, orders, unservable);
  for (const id of removed) runtime.leaving.add(id);
  if (wanted.kind === 'snapshot') runtime.strangers.clear();
  runtime.alarmBytes = Math.min(runtime.alarmBytes, alarmBytes(changed.values()));
  await takeSettings(runtime, wanted.settings);
  runtime.generation = wanted.generation;
  const reopened = limits.some((limit) => limit.wasShut && limit.passLimit > 0n);
  return { kind: 'applied', reopened };
}

function takesOverSlots(runtime: Runtime, plan: Changes): boolean {
  if (plan.removed.length === 0) return false;
  const removed = new Set(plan.removed);
  return plan.upserted.some((peer) => {
    const holder = runtime.slots.get(slotOf(peer.address4, peer.address6) ?? -1);
    return holder !== undefined && removed.has(holder);
  });
}

/**
 * Finds each config's slot. A config whose addresses do not belong together, or belong to another, is not served: it
 * could not be metered rightly.
 */
function sortOut(runtime: Runtime, plan: Changes): { orders: MeterOrder[]; unservable: Set<string> } {
  const orders: MeterOrder[] = [];
  const unservable = new Set<string>();
  const taken = new Map<number, string>();
  for (const peer of plan.upserted) {
    const slot = slotOf(peer.address4, peer.address6);
    const isServable =
      slot !== null &&
      (peer.protocol !== 'wireguard' || isPresharedKey(peer.presharedKey)) &&
      (runtime.usage.configs.get(peer.id)?.slot ?? slot) === slot &&
      (taken.get(slot) ?? runtime.slots.get(slot) ?? peer.id) === peer.id;
    if (slot !== null) taken.set(slot, peer.id);
    if (isServable)
      orders.push({ id: peer.id, slot, blocked: peer.blocked, dnsFiltering: peer.dnsFiltering, lease: peer.lease });
    else unservable.add(peer.id);
  }
  for (const id of unservable) runtime.log.error('config_not_servable', { config: id });
  return { orders, unservable };
}

/** Whether a new config comes to a slot whose last reading of another is still to come. */
function isAnySlotUnread(runtime: Runtime, orders: readonly MeterOrder[]): boolean {
  if (runtime.leaving.size === 0) return false;
  const unread = new Set([...runtime.leaving].map((id) => runtime.usage.configs.get(id)?.slot));
  return orders.some((order) => unread.has(order.slot));
}

/** 32 bytes in base64. What comes from outside ends up in a line-based protocol. */
function isPresharedKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** Configs that are still metered though the wanted state, as far as it was durable, knows nothing of them. */
function findOrphans(runtime: Runtime, wanted: Extract<DesiredState, { kind: 'snapshot' }>): string[] {
  const known = new Set(wanted.peers.map((peer) => peer.id));
  const here = [...runtime.usage.configs].filter(([, config]) => config.presence === 'here');
  return here.map(([id]) => id).filter((id) => !known.has(id) && !runtime.peers.has(id));
}

async function takeSettings(runtime: Runtime, settings: NodeSettings): Promise<void> {
  const before = runtime.settings;
  runtime.settings = settings;
  for (const tunnel of runtime.tunnels) {
    const isSame = JSON.stringify(tunnel.settingsOf(before)) === JSON.stringify(tunnel.settingsOf(settings));
    if (isSame) continue;
    if (tunnel.protocol === 'wireguard') await openTunnel(runtime, tunnel);
    else await tryTunnel(runtime, tunnel);
  }
}

function findStrangers(runtime: Runtime, peers: readonly Peer[]): Credential[] {
  const wanted = new Set(peers.map((peer) => credentialOf(identityOf(peer)).name));
  return [...runtime.strangers].flatMap(([protocol, names]) =>
    [...names].filter((name) => !wanted.has(name)).map((name) => ({ protocol, name })),
  );
}

function remember(runtime: Runtime, plan: Changes, orders: readonly MeterOrder[], unservable: Set<string>): void {
  for (const id of plan.removed) {
    runtime.peers.delete(id);
    const slot = runtime.usage.configs.get(id)?.slot;
    if (slot !== undefined && runtime.slots.get(slot) === id) runtime.slots.delete(slot);
  }
  for (const peer of plan.upserted) if (!unservable.has(peer.id)) runtime.peers.set(peer.id, identityOf(peer));
  for (const order of orders) {
    runtime.slots.set(order.slot, order.id);
    runtime.highestSlot = Math.max(runtime.highestSlot, order.slot);
  }
}

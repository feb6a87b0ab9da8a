import type { DesiredState, NodeSettings, Peer } from '@raha/contract/node/protocol.ts';
import type { AgentContext } from '../agent-context.ts';
import { slotOf } from '../firewall/slot.ts';
import { earlySampleBytes, slotLimit } from '../metering/slot-limits.ts';
import { decideConfigs, type MeterOrder, withConfigs } from '../metering/usage.ts';
import { reportAgain } from '../metering/usage-report.ts';
import { openMoreWireguardPorts } from '../tunnels/more-wireguard-ports.ts';
import { openTunnel, tryTunnel } from '../tunnels/open-tunnel.ts';
import { protocolOf } from '../tunnels/tunnel.ts';
import { type Changes, type Credential, credentialOf, identityOf, planChanges } from './plan.ts';

export interface Applied {
  readonly kind: 'applied';
  /** A slot was reopened, and bytes that it dropped may have to be compensated. */
  readonly reopened: boolean;
}

/**
 * Brings kernel and daemons to the desired state, with one command to nft and one to each daemon, at the same time. The
 * cost of a delta does not depend on the number of configs. Throws when a command fails: then nothing is acknowledged,
 * and the same delta comes again.
 */
export async function applyDesired(
  context: AgentContext,
  desired: DesiredState,
  finishRemovals: () => Promise<void>,
): Promise<Applied | { readonly kind: 'refused' }> {
  const { applied, metering, tunnelState, log } = context;
  if (desired.generation < applied.generation)
    log.warn('control_plane_went_back', { generation: desired.generation, applied: applied.generation });
  // The control plane sends it to a node of which it may have forgotten something, as after a restore from a backup.
  if (desired.kind === 'snapshot' && applied.generation > 0) metering.usage = reportAgain(metering.usage);
  const plan = planChanges(desired, applied.peers, context);
  if (plan.kind === 'refuse') {
    log.error('mass_removal_refused', { removals: plan.removals, of: plan.of, generation: desired.generation });
    return { kind: 'refused' };
  }
  if (plan.kind === 'nothing' || desired.kind === 'unchanged') {
    applied.generation = desired.generation;
    return { kind: 'applied', reopened: false };
  }
  if (reusesSlots(context, plan)) {
    // The final readings of removed configs are taken before others start counting in their slots.
    const removal = { kind: 'delta', generation: applied.generation, settings: applied.settings } as const;
    await applyDesired(context, { ...removal, peers: [], removed: [...plan.removed] }, finishRemovals);
    return await applyDesired(context, desired, finishRemovals);
  }
  const { orders, unservable } = assignSlots(context, plan);
  if (hasPendingReading(context, orders)) await finishRemovals();
  const before = metering.usage;
  const removed =
    desired.kind === 'delta'
      ? desired.removed
      : [...new Set([...plan.removed, ...findOrphans(context, desired), ...desired.removed])];
  const changed = decideConfigs(before, orders, removed);
  const limits = [...changed]
    .filter(([, config]) => config.presence !== 'removed')
    .map(([id, config]) => slotLimit(before, config, before.configs.get(id)));
  const commands = Promise.all([
    context.firewall.setLimits(limits),
    ...applyToTunnels(context, plan, { unservable, isSnapshot: desired.kind === 'snapshot', peers: desired.peers }),
  ]);
  // With many configs copying the state takes a while, during which kernel and daemons are at work.
  metering.usage = withConfigs(before, changed);
  await commands;
  remember(context, plan, orders, unservable);
  for (const id of removed) metering.removing.add(id);
  if (desired.kind === 'snapshot') tunnelState.unknownPeers.clear();
  metering.earlySampleBytes = Math.min(metering.earlySampleBytes, earlySampleBytes(changed.values()));
  await applySettings(context, desired.settings);
  applied.generation = desired.generation;
  return { kind: 'applied', reopened: limits.some((limit) => limit.wasExhausted && limit.passLimit > 0n) };
}

/** A config of the desired state uses the slot of one that is removed. */
function reusesSlots({ applied }: AgentContext, plan: Changes): boolean {
  if (plan.removed.length === 0) return false;
  const removed = new Set(plan.removed);
  return plan.upserted.some((peer) => {
    const holder = applied.slots.get(slotOf(peer.address4, peer.address6) ?? -1);
    return holder !== undefined && removed.has(holder);
  });
}

/**
 * Finds each config's slot. A config whose addresses do not belong together, or belong to another config, is not served,
 * because it could not be metered correctly.
 */
function assignSlots(
  { applied, metering, log }: AgentContext,
  plan: Changes,
): { orders: MeterOrder[]; unservable: Set<string> } {
  const orders: MeterOrder[] = [];
  const unservable = new Set<string>();
  const taken = new Map<number, string>();
  for (const peer of plan.upserted) {
    const { id, blocked, dnsFiltering, lease } = peer;
    const slot = slotOf(peer.address4, peer.address6);
    const isServable =
      slot !== null &&
      (peer.protocol !== 'wireguard' || isPresharedKey(peer.presharedKey)) &&
      (metering.usage.configs.get(id)?.slot ?? slot) === slot &&
      (taken.get(slot) ?? applied.slots.get(slot) ?? id) === id;
    if (slot !== null) taken.set(slot, id);
    if (isServable) orders.push({ id, slot, blocked, dnsFiltering, lease });
    else unservable.add(id);
  }
  for (const id of unservable) log.error('config_not_servable', { config: id });
  return { orders, unservable };
}

/** Whether a new config gets a slot whose last config still needs its final reading. */
function hasPendingReading({ metering }: AgentContext, orders: readonly MeterOrder[]): boolean {
  if (metering.removing.size === 0) return false;
  const unread = new Set([...metering.removing].map((id) => metering.usage.configs.get(id)?.slot));
  return orders.some((order) => unread.has(order.slot));
}

function applyToTunnels(
  context: AgentContext,
  plan: Changes,
  desired: { readonly unservable: ReadonlySet<string>; readonly isSnapshot: boolean; readonly peers: readonly Peer[] },
): Promise<void>[] {
  const install = plan.install.filter((peer) => !desired.unservable.has(peer.id));
  const forget = desired.isSnapshot ? [...plan.forget, ...findUnknownPeers(context, desired.peers)] : plan.forget;
  return context.tunnels.map(async (tunnel) => {
    const names = forget.filter(({ protocol }) => protocol === tunnel.protocol).map(({ name }) => name);
    await tunnel.apply(
      install.filter(({ protocol }) => protocol === tunnel.protocol),
      names,
    );
  });
}

/** 32 bytes in base64. The key comes from outside and ends up in a line-based protocol. */
function isPresharedKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** Configs that are still metered although neither the desired state nor what was stored of it contains them. */
function findOrphans({ applied, metering }: AgentContext, desired: { readonly peers: readonly Peer[] }): string[] {
  const known = new Set(desired.peers.map((peer) => peer.id));
  const active = [...metering.usage.configs].filter(([, config]) => config.presence === 'active');
  return active.map(([id]) => id).filter((id) => !known.has(id) && !applied.peers.has(id));
}

async function applySettings(context: AgentContext, settings: NodeSettings): Promise<void> {
  const before = context.applied.settings;
  context.applied.settings = settings;
  for (const tunnel of context.tunnels) {
    const isSame = JSON.stringify(tunnel.settingsOf(before)) === JSON.stringify(tunnel.settingsOf(settings));
    if (isSame) continue;
    if (tunnel.protocol === 'wireguard') await openTunnel(context, tunnel);
    else await tryTunnel(context, tunnel);
  }
  const isNew = JSON.stringify(before) !== JSON.stringify(settings);
  if (isNew || !context.firewall.knowsWireguardPorts) await openMoreWireguardPorts(context);
}

function findUnknownPeers({ tunnelState }: AgentContext, peers: readonly Peer[]): Credential[] {
  const known = new Set(peers.map((peer) => credentialOf(identityOf(peer)).name));
  return [...tunnelState.unknownPeers].flatMap(([tunnel, names]) => {
    return [...names].filter((name) => !known.has(name)).map((name) => ({ protocol: protocolOf(tunnel), name }));
  });
}

function remember(
  { applied, metering }: AgentContext,
  plan: Changes,
  orders: readonly MeterOrder[],
  unservable: ReadonlySet<string>,
): void {
  for (const id of plan.removed) {
    applied.peers.delete(id);
    const slot = metering.usage.configs.get(id)?.slot;
    if (slot !== undefined && applied.slots.get(slot) === id) applied.slots.delete(slot);
  }
  for (const peer of plan.upserted) if (!unservable.has(peer.id)) applied.peers.set(peer.id, identityOf(peer));
  for (const order of orders) {
    applied.slots.set(order.slot, order.id);
    applied.highestSlot = Math.max(applied.highestSlot, order.slot);
  }
}

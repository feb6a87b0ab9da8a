import { readFile, writeFile } from 'node:fs/promises';
import type { AgentContext } from './agent-context.ts';
import { slotOf } from './firewall/slot.ts';
import { allLimits } from './metering/slot-limits.ts';
import { buildTable, loseEpoch } from './metering/take-sample.ts';
import { observe } from './metering/usage.ts';
import type { Reading, UsageState } from './metering/usage-state.ts';
import { openMoreWireguardPorts } from './tunnels/more-wireguard-ports.ts';
import { openTunnel, tryTunnel } from './tunnels/open-tunnel.ts';

const IDLE_TCP_SECONDS = 7_440;

/**
 * Brings kernel and daemons to the state of the spool, without the control plane: adopts what an earlier agent left
 * running and rebuilds what is missing. Afterwards the node serves and meters.
 */
export async function startServing(
  context: AgentContext,
  uplinks: readonly string[],
  stored: UsageState | null,
): Promise<void> {
  const { applied } = context;
  await enableForwarding(uplinks);
  for (const [id, peer] of applied.peers) {
    const slot = slotOf(peer.address4, peer.address6) ?? 0;
    applied.slots.set(slot, id);
    applied.highestSlot = Math.max(applied.highestSlot, slot);
  }
  await adoptTable(context, stored);
  await forgetIdleFlows();
  for (const tunnel of context.tunnels) {
    if (tunnel.protocol === 'wireguard') await openTunnel(context, tunnel);
    else await tryTunnel(context, tunnel);
  }
  await openMoreWireguardPorts(context);
}

async function adoptTable(context: AgentContext, stored: UsageState | null): Promise<void> {
  const { firewall, metering, spool, log } = context;
  const table = await firewall.read();
  const reading = { bootId: context.bootId, ...table };
  if (!stored) {
    // How much of these counts was reported is not known.
    metering.usage = { ...metering.usage, unmeteredBytes: countAll(reading) };
    await spool.writeUsage(metering.usage);
    await buildTable(context);
    return;
  }
  const observed = observe(stored, reading);
  if (observed.kind === 'lost') {
    await loseEpoch(context, observed.reason);
  } else if (!firewall.isOwn(table) || !(await firewall.hasRules())) {
    // This reading is billed to the old epoch. The old rules stay in force until the new ones replace them in one
    // transaction: what passes meanwhile is within the rest of the leases, which the closing report counts as unmetered.
    metering.usage = observed.state;
    await loseEpoch(context, 'rules_gone');
  } else {
    metering.usage = observed.state;
    await firewall.adopt(reading, allLimits(metering.usage));
    metering.tableEpoch = stored.epoch;
    log.info('table_adopted', { epoch: stored.epoch, configs: stored.configs.size });
  }
  await blockRemovals(context);
}

/** Resumes removals that a crash interrupted. */
async function blockRemovals({ firewall, metering }: AgentContext): Promise<void> {
  const removing = [...metering.usage.configs].filter(([, config]) => config.presence === 'removing');
  await firewall.setLimits(removing.map(([, { slot }]) => ({ slot, passLimit: 0n, blocked: true })));
  for (const [id] of removing) metering.removing.add(id);
}

function countAll(reading: Reading): number {
  let total = 0n;
  for (const { up, down } of reading.counters.values()) total += up + down;
  return Number(total);
}

async function enableForwarding(uplinks: readonly string[]): Promise<void> {
  // Forwarding turns router advertisements off unless `accept_ra` is 2; a host that depends on them must keep its route.
  for (const uplink of uplinks) {
    const acceptAdvertisements = `/proc/sys/net/ipv6/conf/${uplink}/accept_ra`;
    if ((await readSetting(acceptAdvertisements)) === '1') await writeFile(acceptAdvertisements, '2');
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
  if ((await readSetting('/proc/sys/net/ipv6/conf/all/forwarding')) !== null) {
    await writeFile('/proc/sys/net/ipv6/conf/all/forwarding', '1');
  }
}

/**
 * The kernel keeps a silent TCP connection for five days, and those that a phone lost with its network would fill its slot's
 * share. Two hours and four minutes are the least that RFC 5382 (REQ-5) allows. The file exists once the table is loaded.
 */
async function forgetIdleFlows(): Promise<void> {
  const file = '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established';
  if (Number(await readSetting(file)) > IDLE_TCP_SECONDS) await writeFile(file, String(IDLE_TCP_SECONDS));
}

async function readSetting(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return null;
  }
}

import { readFile, writeFile } from 'node:fs/promises';
import { slotOf } from './firewall/slot.ts';
import { buildTable, loseEpoch } from './metering/take-sample.ts';
import { observe } from './metering/usage.ts';
import type { Reading, UsageState } from './metering/usage-state.ts';
import { allLimits, type Runtime } from './runtime.ts';
import { openTunnel, tryTunnel } from './tunnels/open-tunnel.ts';

/**
 * Brings kernel and daemon to what the spool says, without the control plane: adopts what a killed agent left running,
 * rebuilds what is gone. After it the node serves and meters.
 */
export async function startServing(
  runtime: Runtime,
  uplinks: readonly string[],
  stored: UsageState | null,
): Promise<void> {
  await forwardPackets(uplinks);
  for (const [id, peer] of runtime.peers) {
    const slot = slotOf(peer.address4, peer.address6) ?? 0;
    runtime.slots.set(slot, id);
    runtime.highestSlot = Math.max(runtime.highestSlot, slot);
  }
  await adoptTable(runtime, stored);
  for (const tunnel of runtime.tunnels) {
    if (tunnel.protocol === 'wireguard') await openTunnel(runtime, tunnel);
    else await tryTunnel(runtime, tunnel);
  }
}

async function adoptTable(runtime: Runtime, stored: UsageState | null): Promise<void> {
  const table = await runtime.firewall.read();
  const reading = { bootId: runtime.bootId, ...table };
  if (!stored) {
    // Nobody remembers what of these counts was reported.
    runtime.usage = { ...runtime.usage, unmeteredBytes: countAll(reading) };
    await runtime.spool.writeUsage(runtime.usage);
    await buildTable(runtime);
    return;
  }
  const seen = observe(stored, reading);
  if (seen.kind === 'lost') {
    await loseEpoch(runtime, seen.reason);
  } else if (!runtime.firewall.isOwn(table) || !(await runtime.firewall.hasRules())) {
    // What was just read is on the old epoch's bill. The old rules hold until the new ones are there, in one transaction:
    // what passes meanwhile is within what was left of the leases, which the closing report names as unmetered.
    runtime.usage = seen.state;
    await loseEpoch(runtime, 'rules_gone');
  } else {
    runtime.usage = seen.state;
    await runtime.firewall.adopt(reading, allLimits(runtime.usage));
    runtime.tableEpoch = stored.epoch;
    runtime.log.info('table_adopted', { epoch: stored.epoch, configs: stored.configs.size });
  }
  await blockLeaving(runtime);
}

/** Removals that a crash interrupted. */
async function blockLeaving(runtime: Runtime): Promise<void> {
  const leaving = [...runtime.usage.configs].filter(([, config]) => config.presence === 'leaving');
  await runtime.firewall.setLimits(leaving.map(([, config]) => ({ slot: config.slot, passLimit: 0n, barred: true })));
  for (const [id] of leaving) runtime.leaving.add(id);
}

function countAll(reading: Reading): number {
  let total = 0n;
  for (const { up, down } of reading.counters.values()) total += up + down;
  return Number(total);
}

async function forwardPackets(uplinks: readonly string[]): Promise<void> {
  // Forwarding turns router advertisements off unless they are asked for with 2; a host that lives by them must keep its route.
  for (const uplink of uplinks) {
    const acceptAdvertisements = `/proc/sys/net/ipv6/conf/${uplink}/accept_ra`;
    if ((await readSetting(acceptAdvertisements)) === '1') await writeFile(acceptAdvertisements, '2');
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
  if ((await readSetting('/proc/sys/net/ipv6/conf/all/forwarding')) !== null) {
    await writeFile('/proc/sys/net/ipv6/conf/all/forwarding', '1');
  }
}

async function readSetting(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return null;
  }
}

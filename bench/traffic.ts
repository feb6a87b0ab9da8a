import { join } from 'node:path';
import { must, node, root, start, until } from '../e2e/world/processes.ts';
import type { World } from '../e2e/world/world.ts';
import { FIRST_SLOT } from '../server/src/modules/fleet/rules.ts';

/** A slot whose config was deleted is not given away again at once: so many more send than there are configs. */
const DELETED = 300;

/** Packets of many configs, without ten thousand clients. */
export interface Traffic {
  close(): Promise<void>;
}

/**
 * Every slot sends a packet about every second. The firewall knows a device by its inner address and by the interface that it comes from,
 * so one more interface with the name of OpenVPN's over TCP, which is off, is enough: a namespace behind it has all inner addresses.
 */
export async function openTraffic({ network, vpnNode, directory }: World, count: number): Promise<Traffic> {
  const devices = `${network.client}t`;
  const link = `${vpnNode.interfaceName}ot`;
  const lines = [
    `netns add ${devices}`,
    `-n ${network.node} link add ${link} type veth peer name eth0 netns ${devices}`,
    `-n ${network.node} link set ${link} up`,
    `-n ${devices} link set lo up`,
    `-n ${devices} link set eth0 up`,
    `-n ${devices} route add local 10.64.0.0/16 dev lo`,
    `-n ${devices} addr add 169.254.1.2/30 dev eth0`,
    `-n ${network.node} addr add 169.254.1.1/30 dev ${link}`,
    `-n ${devices} route add default via 169.254.1.1`,
  ];
  await must('sh', ['-e'], { input: lines.map((line) => `ip ${line}\n`).join('') });
  const sender = ['netns', 'exec', devices, node, join(root, 'bench/send-from-slots.ts')];
  const logFile = join(directory, 'traffic.log');
  const running = start('ip', [...sender, String(FIRST_SLOT), String(count + DELETED)], { logFile });
  await running.waitFor(/a round is over/, 60_000);
  await until('the kernel to meter it', async () => {
    const list = [
      'netns',
      'exec',
      network.node,
      'nft',
      '-j',
      'list',
      'set',
      'inet',
      `raha_${vpnNode.interfaceName}`,
      'up',
    ];
    const text = await must('ip', list);
    const packets = [...text.matchAll(/"packets": (\d+)/g)].filter(([, seen]) => Number(seen) > 0);
    return packets.length >= count * 0.9;
  });
  return {
    close: async () => {
      await running.kill('SIGTERM');
      await must('ip', ['-n', network.node, 'link', 'del', link]);
      await must('ip', ['netns', 'del', devices]);
    },
  };
}

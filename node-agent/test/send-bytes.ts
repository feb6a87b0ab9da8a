import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends bytes as a VPN's client would, one flow per argument: `udp:198.51.100.2:1194:38aabb,48cc` or `tcp:…`. Commas separate packets. A flow of
 * UDP may name its own port at the end (`:40000`).
 * Run inside a client's namespace.
 */
const APART_MS = 50;

async function sendUdp(host: string, port: number, packets: readonly Buffer[], from = 0): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(from, resolve));
  for (const packet of packets) await new Promise((resolve) => socket.send(packet, port, host, resolve));
  socket.close();
}

async function sendTcp(host: string, port: number, packets: readonly Buffer[]): Promise<void> {
  const socket = connect(port, host).setNoDelay(true);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  for (const packet of packets) {
    socket.write(packet);
    await sleep(APART_MS);
  }
  socket.destroy();
}

for (const [protocol, host = '', port, packets = '', from] of process.argv.slice(2).map((flow) => flow.split(':'))) {
  const bytes = packets.split(',').map((hex) => Buffer.from(hex, 'hex'));
  if (protocol === 'tcp') await sendTcp(host, Number(port), bytes);
  else await sendUdp(host, Number(port), bytes, Number(from ?? 0));
}

import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends bytes as a VPN's client would, one flow per argument: `udp:198.51.100.2:1194:38aabb,48cc` or `tcp:…`. Commas separate packets.
 * Run inside a client's namespace.
 */
const APART_MS = 50;

async function sendUdp(host: string, port: number, packets: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4');
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

for (const [protocol, host = '', port, packets = ''] of process.argv.slice(2).map((flow) => flow.split(':'))) {
  const bytes = packets.split(',').map((hex) => Buffer.from(hex, 'hex'));
  await (protocol === 'tcp' ? sendTcp : sendUdp)(host, Number(port), bytes);
}

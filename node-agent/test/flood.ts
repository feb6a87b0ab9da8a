import { createSocket } from 'node:dgram';

/**
 * Sends tiny packets, each to another port or address, so that each begins a flow: `flood.ts 20000 192.0.2.80`. Goes on to the next
 * address after 60,000 ports. Run inside a device's namespace.
 */
const PORTS = 60_000;
const FIRST_PORT = 2_000;
/** As many as are handed to the kernel before the first of them must have been taken. */
const AT_ONCE = 500;

const [count, first = ''] = process.argv.slice(2);
const [, network = '', host = ''] = /^(.*\.)(\d+)$/.exec(first) ?? [];
const socket = createSocket('udp4');
const send = (number: number) =>
  new Promise<void>((resolve) => {
    const address = network + (Number(host) + Math.floor(number / PORTS));
    // What the tunnel has no room for is lost, as anywhere.
    socket.send('x', FIRST_PORT + (number % PORTS), address, () => resolve());
  });
for (let sent = 0; sent < Number(count); sent += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(sent + index)));
}
socket.close();
console.log('sent');

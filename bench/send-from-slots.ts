import { createSocket, type Socket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { addresses } from '../e2e/world/network.ts';

/** Run in a namespace that has all inner addresses of WireGuard: `send-from-slots.ts FIRST COUNT` sends a packet for each slot, over and over. */
const ROUND_MS = 1_000;
const AT_ONCE = 200;
const packet = Buffer.alloc(400);

const [first = 0, count = 0] = process.argv.slice(2).map(Number);
const sockets: Socket[] = [];
for (let slot = first; slot < first + count; slot++) sockets.push(await open(slot));
for (;;) {
  const begin = performance.now();
  for (const [index, socket] of sockets.entries()) {
    socket.send(packet, 9, addresses.web4);
    if (index % AT_ONCE === 0) await sleep(1);
  }
  console.log('a round is over');
  await sleep(Math.max(0, ROUND_MS - (performance.now() - begin)));
}

function open(slot: number): Promise<Socket> {
  const socket = createSocket('udp4');
  // Nobody listens at the other end.
  socket.on('error', () => {});
  return new Promise((done) => {
    socket.bind(0, `10.64.${slot >> 8}.${slot & 255}`, () => done(socket));
  });
}

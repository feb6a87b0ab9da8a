import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createRelayProbe } from './relay-probe.ts';

const id = '01a1f80b-69e0-7665-a5dc-a918934c0c73';
const closing: { close(): unknown }[] = [];
afterEach(() => {
  for (const { close } of closing.splice(0)) close();
});

function openProbe() {
  let minted = 0;
  const probe = createRelayProbe({
    mintId: () => `nonce-${++minted}`,
    elapsedMs: () => performance.now(),
    waitMs: 300,
  });
  closing.push(probe);
  return probe;
}

async function open(port = 0): Promise<Socket> {
  const socket = createSocket('udp4');
  closing.push({ close: () => socket.close() });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0);
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  return port;
}

/** The relay of this test is the machine itself: what is sent to the address arrives at the port. */
const settingsOf = (probePort: number, address4: string) => ({
  ...{ probePort, periodMs: 1_000 },
  relays: [{ id, address4, address6: null }],
});

test('a relay that forwards is measured once, with its round trip', async () => {
  const probe = openProbe();
  await probe.tryAll(settingsOf(await freePort(), '127.0.0.1'));
  expect(probe.take()).toEqual([{ relay: id, family: 4, roundTripMs: expect.any(Number) }]);
  expect(probe.take()).toEqual([]);
});

test('one that does not forward is away', async () => {
  const probe = openProbe();
  // An address that is this machine's and leads elsewhere: nobody answers there.
  const port = await freePort();
  await probe.tryAll(settingsOf(port, '192.0.2.1'));
  expect(probe.take()).toEqual([{ relay: id, family: 4, roundTripMs: null }]);
});

test('another program gets no answer, and without relays the port is closed', async () => {
  const probe = openProbe();
  const port = await freePort();
  await probe.tryAll(settingsOf(port, '127.0.0.1'));
  const other = await open();
  let answers = 0;
  other.on('message', () => answers++);
  other.send('nonce-1', port, '127.0.0.1');
  other.send('', port, '127.0.0.1');
  await probe.tryAll(settingsOf(port, '127.0.0.1'));
  expect(answers).toBe(0);
  await probe.tryAll(undefined);
  await open(port);
});

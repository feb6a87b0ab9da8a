import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

const range = '/proc/sys/net/ipv4/ip_local_port_range';

test.skipIf(!existsSync(range))('the system never gives a reserved port to a connection', async () => {
  const [first] = readFileSync(range, 'utf8').trim().split(/\s+/).map(Number);
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(first as number);
});

test('a port is free when it is returned', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  await new Promise((done) => server.close(done));
});

import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { PORTS } from '../firewall/slot-policies.ts';
import { createCutOffPage } from './captive-portal.ts';

/** Loopback addresses that no other test listens on. */
const [OURS, OTHER] = ['127.53.80.1', '127.53.80.2'];
/** Of a network for documentation (RFC 5737): no machine has it. */
const ABSENT = '192.0.2.1';
let taken: Server | undefined;
afterEach(() => taken?.close());

const pageAt = (address4: string, address6: string) =>
  createCutOffPage({ address4, address6, resolves: true }, () => undefined);

test('an address that is not there yet is waited for in silence', async () => {
  const page = pageAt(ABSENT, OURS);
  await page.keep();
  expect((await fetch(`http://${OURS}:${PORTS.page}/`)).status).toBe(511);
  page.close();
});

test('whatever else keeps it from listening is told, and the other address is served all the same', async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken?.listen(PORTS.page, OTHER, resolve));
  const page = pageAt(OTHER, OURS);
  await expect(page.keep()).rejects.toThrow('EADDRINUSE');
  expect((await fetch(`http://${OURS}:${PORTS.page}/`)).status).toBe(511);
  page.close();
});

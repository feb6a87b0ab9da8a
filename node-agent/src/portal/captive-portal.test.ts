import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { PORTS } from '../firewall/service-chains.ts';
import { createCaptivePortal } from './captive-portal.ts';

/** Loopback addresses that no other test listens on. */
const [OURS, OTHER] = ['127.53.80.1', '127.53.80.2'];
/** From a documentation network (RFC 5737): no machine has it. */
const ABSENT = '192.0.2.1';
let taken: Server | undefined;
afterEach(() => taken?.close());

const portalAt = (address4: string, address6: string) =>
  createCaptivePortal({ address4, address6, hasResolver: true }, () => undefined);

test('an address that does not exist yet is no error', async () => {
  const portal = portalAt(ABSENT, OURS);
  await portal.ensureListening();
  expect((await fetch(`http://${OURS}:${PORTS.portal}/`)).status).toBe(511);
  portal.close();
});

test('any other obstacle is reported, and the other address is served all the same', async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken?.listen(PORTS.portal, OTHER, resolve));
  const portal = portalAt(OTHER, OURS);
  await expect(portal.ensureListening()).rejects.toThrow('EADDRINUSE');
  expect((await fetch(`http://${OURS}:${PORTS.portal}/`)).status).toBe(511);
  portal.close();
});

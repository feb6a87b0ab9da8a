import { type ChildProcess, spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEntryDns } from '../../src/app/entry-dns.ts';
import { freePort } from '../free-port.ts';

/** Names of entries in a real name server: Debian's BIND, by its own nsupdate. */
const ZONE = 'go.example';
const SECRET = Buffer.alloc(32, 7).toString('base64');
const KEY = `hmac-sha256:raha:${SECRET}`;
const NAME = `e0123.${ZONE}`;

let home: string;
let named: ChildProcess;
let server: string;
const resolver = new Resolver({ timeout: 2_000, tries: 3 });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'raha-named-'));
  const port = await freePort();
  server = `127.0.0.1:${port}`;
  resolver.setServers([server]);
  writeFileSync(
    join(home, 'zone'),
    `$TTL 30\n@ SOA ns.${ZONE}. root.${ZONE}. 1 60 60 600 30\n@ NS ns.${ZONE}.\nns A 192.0.2.1\n`,
  );
  writeFileSync(
    join(home, 'named.conf'),
    `options { directory "${home}"; pid-file "${home}/pid"; session-keyfile "${home}/session.key"; recursion no;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; dnssec-validation no; };
controls { };
key raha { algorithm hmac-sha256; secret "${SECRET}"; };
zone "${ZONE}" { type primary; file "${home}/zone"; allow-update { key raha; }; };
`,
  );
  named = spawn('/usr/sbin/named', ['-g', '-c', join(home, 'named.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  for await (const text of named.stderr ?? []) {
    output += text;
    if (/running$/m.test(output)) break;
  }
  named.stderr?.resume();
});
afterAll(async () => {
  const ended = once(named, 'exit');
  named.kill('SIGTERM');
  await ended;
  rmSync(home, { recursive: true, force: true });
});

const open = (entryDns: { server?: string; zone?: string; key?: string }) =>
  openEntryDns({ entryDns: { server, zone: ZONE, key: KEY, ...entryDns } });
const found = async () => [
  ...(await resolver.resolve4(NAME, { ttl: true }).catch(() => [])).map(({ address, ttl }) => `${address} ${ttl}`),
  ...(await resolver.resolve6(NAME).catch(() => [])),
];

test('a name leads to the addresses of both families, then to others, then nowhere', async () => {
  const dns = open({});
  await dns?.set(NAME, ['203.0.113.1', '2001:db8::1']);
  expect(await found()).toEqual(['203.0.113.1 30', '2001:db8::1']);
  await dns?.set(NAME, ['203.0.113.2']);
  expect(await found()).toEqual(['203.0.113.2 30']);
  await dns?.set(NAME, []);
  expect(await found()).toEqual([]);
});

test('a wrong key changes nothing, and is not in the error', async () => {
  const wrong = Buffer.alloc(32, 8).toString('base64');
  const failure = await open({ key: `hmac-sha256:raha:${wrong}` })
    ?.set(NAME, ['203.0.113.9'])
    .catch((error: Error) => error.message);
  expect(failure).toContain('nsupdate failed');
  expect(failure).not.toContain(wrong);
  expect(await found()).toEqual([]);
});

test.each([
  { key: undefined },
  { zone: 'localhost' },
  { zone: 'go.example\nserver 192.0.2.9' },
  { server: 'http://ns.example' },
  { server: 'ns.example:99999' },
  { key: 'raha:secret' },
  { key: `${KEY}\nsend` },
])('%j is refused at the start', (entryDns) => {
  expect(() => openEntryDns({ entryDns: { server, zone: ZONE, key: KEY, ...entryDns } })).toThrow(/ENTRY_DNS/);
});

test('without a name server there is none', () => {
  expect(openEntryDns({ entryDns: { server: undefined, zone: undefined, key: undefined } })).toBeUndefined();
});

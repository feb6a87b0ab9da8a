import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from './network.ts';
import { must, type Running, start } from './processes.ts';

/** Debian's BIND in the internet, which takes signed updates of one zone; and what the product needs to reach it. */
export interface NameServer {
  readonly address: string;
  /** Variables of the product. Its `nsupdate` is the real one, run in the internet. */
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** The device's resolver is this server from now on. */
  useByDevice(): void;
  stop(): Promise<void>;
}

const ZONE = 'go.example';
const ADDRESS = '192.0.2.54';
const KEY = 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';

export function createNameServer(network: Network, directory: string): NameServer {
  const home = join(directory, 'name-server');
  const programs = join(home, 'bin');
  mkdirSync(programs, { recursive: true });
  // The product runs outside of the test's internet.
  const inside = `ip netns exec ${network.internet}`;
  writeFileSync(join(programs, 'nsupdate'), `#!/bin/sh\nexec ${inside} /usr/bin/nsupdate "$@"\n`);
  chmodSync(join(programs, 'nsupdate'), 0o755);
  writeFileSync(join(home, 'named.conf'), configOf(home));
  writeFileSync(
    join(home, 'zone'),
    `$TTL 30\n@ SOA ns.${ZONE}. root.${ZONE}. 1 60 60 600 30\n@ NS ns.${ZONE}.\nns A ${ADDRESS}\n`,
  );
  let running: Running | undefined;
  return {
    address: ADDRESS,
    environment: {
      ...{ ENTRY_DNS_SERVER: ADDRESS, ENTRY_DNS_ZONE: ZONE, ENTRY_DNS_KEY: `hmac-sha256:raha:${KEY}` },
      PATH: `${programs}:${process.env.PATH ?? ''}`,
    },
    start: async () => {
      await must('ip', ['-n', network.internet, 'addr', 'add', `${ADDRESS}/32`, 'dev', 'lo']);
      const named = ['netns', 'exec', network.internet, 'named', '-g', '-c', join(home, 'named.conf'), '-D', home];
      running = start('ip', named, { logFile: join(home, 'named.log') });
      await running.waitFor(/running$/m, 20_000);
    },
    useByDevice: () => writeFileSync(`/etc/netns/${network.client}/resolv.conf`, `nameserver ${ADDRESS}\n`),
    stop: async () => running?.kill('SIGTERM'),
  };
}

function configOf(home: string): string {
  return `options { directory "${home}"; pid-file "${home}/pid"; session-keyfile "${home}/session.key"; recursion no;
    listen-on { ${ADDRESS}; }; listen-on-v6 { none; }; dnssec-validation no; };
controls { };
key raha { algorithm hmac-sha256; secret "${KEY}"; };
zone "${ZONE}" { type primary; file "${home}/zone"; allow-update { key raha; }; };
`;
}

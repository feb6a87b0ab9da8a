import { spawn } from 'node:child_process';
import { isIPv6 } from 'node:net';
import type { EntryDns } from '../../modules/movement/entry-dns.ts';

/** How a name server is reached that takes updates (RFC 2136) signed with a key (TSIG, RFC 8945). */
export interface NameServer {
  readonly host: string;
  readonly port: number;
  readonly zone: string;
  /** `algorithm:name:secret` in base64, as `nsupdate` takes it. */
  readonly key: string;
}

/** A name that has moved is asked for anew after so long. */
const TTL_SECONDS = 30;
const TIMEOUT_SECONDS = 10;

/**
 * Sets names by Debian's `nsupdate` (package bind9-dnsutils), which comes from the people who make the protocol's reference. All of a
 * name's addresses change in one update, which the name server does as a whole or not at all.
 */
export function createEntryDns({ host, port, zone, key }: NameServer): EntryDns {
  const [algorithm = '', keyName = '', secret = ''] = key.split(':');
  return {
    zone,
    set: async (name, addresses) => {
      await nsupdate([
        `server ${host} ${port}`,
        `zone ${zone}.`,
        `key ${algorithm}:${keyName} ${secret}`,
        `update delete ${name}. A`,
        `update delete ${name}. AAAA`,
        ...addresses.map(
          (address) => `update add ${name}. ${TTL_SECONDS} ${isIPv6(address) ? 'AAAA' : 'A'} ${address}`,
        ),
        'send',
      ]);
    },
  };
}

/** The commands go through standard input: everybody on a machine can read the arguments of its processes. */
function nsupdate(commands: readonly string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn('nsupdate', ['-v', '-t', String(TIMEOUT_SECONDS)], { stdio: ['pipe', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-500);
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      failed(error.code === 'ENOENT' ? new Error('nsupdate is missing: apt-get install bind9-dnsutils') : error),
    );
    child.once('close', (code) => (code === 0 ? done() : failed(new Error(`nsupdate failed: ${output.trim()}`))));
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${commands.join('\n')}\n`);
  });
}

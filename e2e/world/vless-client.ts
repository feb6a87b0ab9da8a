import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addresses, type Network } from './network.ts';
import { node, type Output, type Running, root, run, start, until } from './processes.ts';

/** Debian's `v2ray` as an app of the user's that has taken the panel's link, and programs that go through it. */
export interface VlessClient {
  /** With `shares`, one connection of it carries those of several programs. */
  up(link: string, options?: { shares?: boolean }): Promise<void>;
  down(): Promise<void>;
  curl(...words: string[]): Promise<Output>;
  /** A download that goes on until it is ended. */
  download(bytes: number, rate: string): Running;
  /** The address of a name, asked of the internet's name server, over UDP. */
  lookUp(name: string): Promise<string>;
  /** The caller's address according to the web server; undefined when it does not answer. */
  seenAs(seconds?: number): Promise<string | undefined>;
}

const SOCKS = '127.0.0.1:1080';

/** `authority`: the certificate of the website's, which is not in this machine's list. */
export function createVlessClient(network: Network, directory: string, authority: string): VlessClient {
  const path = join(directory, 'vless-client.json');
  let running: Running | undefined;
  const inside = (...words: string[]) => ['netns', 'exec', network.client, ...words];
  const curl = (...words: string[]) => run('ip', inside('curl', '-s', '-g', '--socks5-hostname', SOCKS, ...words));
  const down = async () => {
    await running?.kill('SIGTERM');
    running = undefined;
  };
  return {
    up: async (link, { shares = false } = {}) => {
      await down();
      writeFileSync(path, JSON.stringify(clientConfig(new URL(link), readFileSync(authority, 'utf8'), shares)));
      running = start('ip', inside('v2ray', '-config', path), { logFile: join(directory, 'vless-client.log') });
      const opened = ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/1080'];
      await until('the app', async () => (await run('ip', inside(...opened))).code === 0);
    },
    down,
    curl,
    download: (bytes, rate) => {
      const words = [
        '-sS',
        '--socks5-hostname',
        SOCKS,
        '--limit-rate',
        rate,
        '-o',
        '/dev/null',
        '-w',
        '%{size_download}',
      ];
      return start('ip', inside('curl', ...words, `http://${addresses.web4}/blob?n=${bytes}`), {
        logFile: join(directory, 'vless-download.log'),
      });
    },
    lookUp: async (name) =>
      (await run('ip', inside(node, join(root, 'node-agent/test/ask-name.ts'), name, '127.0.0.1'))).stdout,
    seenAs: async (seconds = 2) => {
      const { code, stdout } = await curl('-m', String(seconds), `http://${addresses.web4}/`);
      return code === 0 && stdout.startsWith('{') ? (JSON.parse(stdout) as { ip: string }).ip : undefined;
    },
  };
}

/** What an app makes of the link. */
function clientConfig(link: URL, authority: string, shares: boolean) {
  const of = (name: string) => link.searchParams.get(name) ?? '';
  if (of('security') !== 'tls' || of('type') !== 'ws') throw new Error('the link is of another kind');
  const certificate = authority.trim().split('\n');
  return {
    log: { loglevel: 'none' },
    inbounds: [
      { listen: '127.0.0.1', port: 1080, protocol: 'socks', settings: { udp: false } },
      {
        ...{ listen: '127.0.0.1', port: 53, protocol: 'dokodemo-door' },
        settings: { address: addresses.names4, port: 53, network: 'udp' },
      },
    ],
    outbounds: [
      {
        protocol: 'vless',
        settings: {
          vnext: [
            {
              address: link.hostname,
              port: Number(link.port),
              users: [{ id: decodeURIComponent(link.username), encryption: of('encryption') }],
            },
          ],
        },
        streamSettings: {
          ...{ network: 'ws', security: 'tls', wsSettings: { path: of('path'), headers: { Host: of('host') } } },
          tlsSettings: { serverName: of('sni'), certificates: [{ usage: 'verify', certificate }] },
        },
        mux: { enabled: shares, concurrency: 8 },
      },
    ],
  };
}

import { join } from 'node:path';
import { type Client, type ClientKind, createClient } from './client.ts';
import { addresses, type Network } from './network.ts';
import { node, type Output, root, run } from './processes.ts';

/** A user's computer: the client's namespace with the protocol's stock client and curl. */
export interface Device {
  /** Connects with a downloaded file. */
  up(file: string): Promise<void>;
  down(): Promise<void>;
  /** The caller's address according to the web server; undefined when it does not answer within a second. */
  seenAs(family?: 4 | 6, seconds?: number): Promise<string | undefined>;
  /** A page, with its status; `failure` is curl's own (0: none; 7: refused; 28: it took too long; 35, 56: reset). */
  visit(url: string): Promise<{ failure: number | null; status: number; text: string }>;
  /** The address that a name server returns for a name; empty when there is no answer in time. */
  lookUp(name: string, server: string): Promise<string>;
  /** Downloads n bytes at a limited rate for at most `seconds`; returns what arrived. */
  download(n: number, options?: { rate?: string; seconds?: number; stallSeconds?: number }): Promise<Download>;
  upload(n: number, options?: { rate?: string; seconds?: number }): Promise<number>;
  /** Number of key exchanges with the node since the client was started; 0: it was never let in. */
  handshakes(): Promise<number>;
  /** Whether the client still runs or is connected; some exit when the node refuses them. */
  isRunning(): Promise<boolean>;
}

export interface Download {
  readonly bytes: number;
  readonly complete: boolean;
}

const web = { 4: `http://${addresses.web4}`, 6: `http://[${addresses.web6}]` } as const;

/** `beside`: its tunnel carries only the requests of this device, so that another tunnel can have the default route. */
export function createDevice(
  network: Network,
  directory: string,
  kind: ClientKind = 'wireguard',
  { beside = false } = {},
): Device {
  const client: Client = createClient(network, directory, kind, beside);
  const through = beside ? ['--interface', client.interfaceName] : [];
  const inside = (...args: string[]) => ['netns', 'exec', network.client, ...args];
  const ask = (...args: string[]): Promise<Output> => run('ip', inside(...args));
  return {
    up: client.up,
    down: client.down,
    handshakes: client.handshakes,
    isRunning: client.isRunning,
    seenAs: async (family = 4, seconds = 1) => {
      const { code, stdout } = await ask('curl', ...through, '-s', '-g', '-m', String(seconds), `${web[family]}/`);
      return code === 0 && stdout.startsWith('{') ? (JSON.parse(stdout) as { ip: string }).ip : undefined;
    },
    lookUp: async (name, server) => (await ask(node, join(root, 'node-agent/test/ask-name.ts'), name, server)).stdout,
    visit: async (url) => {
      const { code, stdout } = await ask('curl', ...through, '-s', '-g', '-m', '3', '-w', '\n%{http_code}', url);
      const status = Number(stdout.slice(stdout.lastIndexOf('\n') + 1));
      return { failure: code, status, text: stdout.slice(0, stdout.lastIndexOf('\n')) };
    },
    download: async (n, { rate = '4M', seconds = 120, stallSeconds = 5 } = {}) => {
      const patience = String(stallSeconds);
      const stall = ['--connect-timeout', patience, '--speed-limit', '1', '--speed-time', patience];
      const limits = ['--limit-rate', rate, '-m', String(seconds), ...stall];
      const { code, stdout } = await ask(
        'curl',
        ...through,
        // The captive portal is not the requested page.
        '--fail',
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{size_download}',
        ...limits,
        `${web[4]}/blob?n=${n}`,
      );
      return { bytes: Number(stdout), complete: code === 0 };
    },
    upload: async (n, { rate = '4M', seconds = 120 } = {}) => {
      const limits = ['--limit-rate', rate, '-m', String(seconds)];
      const { stdout } = await run(
        'ip',
        inside('curl', ...through, '-s', ...limits, '--data-binary', '@-', `${web[4]}/sink`),
        {
          input: 'x'.repeat(n),
        },
      );
      return (JSON.parse(stdout) as { received: number }).received;
    },
  };
}

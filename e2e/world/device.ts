import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addresses, type Network } from './network.ts';
import { must, type Output, root, run } from './processes.ts';

/** A person's computer: the client's namespace with the stock WireGuard tools and curl. */
export interface Device {
  /** `wg-quick up` with a downloaded file. */
  up(file: string): Promise<void>;
  down(): Promise<void>;
  /** What the page that echoes its caller says, or undefined when it cannot be reached in time (one second). */
  seenAs(family?: 4 | 6, seconds?: number): Promise<string | undefined>;
  /** Downloads n bytes, paced; answers with what arrived. `seconds` bounds how long it tries. */
  download(n: number, options?: { rate?: string; seconds?: number; stallSeconds?: number }): Promise<Download>;
  upload(n: number, options?: { rate?: string; seconds?: number }): Promise<number>;
  /** Bytes of inner packets that went through the tunnel interface of this device, by the kernel's count. */
  counters(): Promise<{ received: number; sent: number }>;
  /** Unix seconds of the last handshake, 0 for none. */
  lastHandshake(): Promise<number>;
}

export interface Download {
  readonly bytes: number;
  readonly complete: boolean;
}

const web = { 4: `http://${addresses.web4}`, 6: `http://[${addresses.web6}]` } as const;

export function createDevice(network: Network, directory: string): Device {
  const name = `rc${network.id}`;
  const file = join(directory, `${name}.conf`);
  const environment = {
    ...process.env,
    PATH: `${join(root, 'e2e/shim')}:${process.env.PATH ?? ''}:/usr/sbin:/sbin`,
    WG_QUICK_USERSPACE_IMPLEMENTATION: 'wireguard-go',
    // wireguard-go warns that the kernel has a better WireGuard than itself.
    WG_I_PREFER_BUGGY_USERSPACE_TO_POLISHED_KMOD: '1',
  };
  const inside = (...args: string[]) => ['netns', 'exec', network.client, ...args];
  const ask = (...args: string[]): Promise<Output> => run('ip', inside(...args), { env: environment });
  return {
    up: async (text) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(file, text, { mode: 0o600 });
      await must('ip', inside('wg-quick', 'up', file), { env: environment });
    },
    down: async () => {
      await ask('wg-quick', 'down', file);
    },
    seenAs: async (family = 4, seconds = 1) => {
      const { code, stdout } = await ask('curl', '-s', '-g', '-m', String(seconds), `${web[family]}/`);
      return code === 0 ? (JSON.parse(stdout) as { ip: string }).ip : undefined;
    },
    download: async (n, { rate = '4M', seconds = 120, stallSeconds = 5 } = {}) => {
      const patience = String(stallSeconds);
      const stall = ['--connect-timeout', patience, '--speed-limit', '1', '--speed-time', patience];
      const limits = ['--limit-rate', rate, '-m', String(seconds), ...stall];
      const { code, stdout } = await ask(
        'curl',
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
      const { stdout } = await run('ip', inside('curl', '-s', ...limits, '--data-binary', '@-', `${web[4]}/sink`), {
        env: environment,
        input: 'x'.repeat(n),
      });
      return (JSON.parse(stdout) as { received: number }).received;
    },
    counters: async () => {
      const text = await must('ip', ['-n', network.client, '-j', '-s', 'link', 'show', name]);
      const [link] = JSON.parse(text) as [{ stats64: { rx: { bytes: number }; tx: { bytes: number } } }];
      return { received: link.stats64.rx.bytes, sent: link.stats64.tx.bytes };
    },
    lastHandshake: async () => {
      const { stdout } = await ask('wg', 'show', name, 'latest-handshakes');
      return Number(stdout.trim().split(/\s+/)[1] ?? 0);
    },
  };
}

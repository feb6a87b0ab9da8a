import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../e2e/world/network.ts';
import { must, type Running, start, until } from '../e2e/world/processes.ts';

/**
 * A second WireGuard interface on the same node, with as many peers and without the agent: what the bare tools need for one
 * more peer, with `wg set` and as many panels do it (write the file, `wg-quick strip`, `wg syncconf`).
 */
export interface Yardstick {
  /** Fills the interface up to `count` peers. */
  fill(count: number): Promise<void>;
  /** Milliseconds of `wg set` for one more peer. */
  setOne(): Promise<number>;
  /** Milliseconds of rewriting the whole file for one more peer. */
  rewriteAll(): Promise<number>;
  /** Milliseconds from starting the daemon until the file with all peers is loaded on a new interface. */
  restart(): Promise<number>;
  close(): Promise<void>;
}

interface Peer {
  readonly publicKey: string;
  readonly presharedKey: string;
  readonly addresses: string;
}

export async function createYardstick(network: Network, directory: string): Promise<Yardstick> {
  const name = `rb${network.id}`;
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${name}.conf`);
  const pskFile = join(directory, 'psk');
  const inside = ['netns', 'exec', network.node];
  const begin = async (): Promise<Running> => {
    const running = start('ip', [...inside, 'wireguard-go', '-f', name], { logFile: join(directory, 'wireguard.log') });
    const isThere = async () => (await must('ip', ['-n', network.node, 'link', 'show', name])) !== '';
    await until('the interface', isThere, 30_000, 5);
    return running;
  };
  let daemon = await begin();
  const privateKey = (await must('wg', ['genkey'])).trim();
  const peers: Peer[] = [];
  const next = (): Peer => {
    const n = peers.length + 1;
    const peer = {
      publicKey: curvePoint(),
      presharedKey: randomBytes(32).toString('base64'),
      addresses: `10.200.${n >> 8}.${n & 255}/32, fd99::${n.toString(16)}/128`,
    };
    peers.push(peer);
    return peer;
  };
  const write = () => {
    const parts = peers.map(
      (peer) =>
        `\n[Peer]\nPublicKey = ${peer.publicKey}\nPresharedKey = ${peer.presharedKey}\nAllowedIPs = ${peer.addresses}\n`,
    );
    writeFileSync(file, `[Interface]\nPrivateKey = ${privateKey}\nListenPort = 51999\n${parts.join('')}`, {
      mode: 0o600,
    });
  };
  const timed = async (work: () => Promise<unknown>) => {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
  };
  return {
    fill: async (count) => {
      while (peers.length < count) next();
      write();
      await must('ip', [...inside, 'wg', 'syncconf', name, file]);
    },
    setOne: async () => {
      const peer = next();
      writeFileSync(pskFile, peer.presharedKey, { mode: 0o600 });
      const allowed = peer.addresses.replace(' ', '');
      return timed(() =>
        must('wg', ['set', name, 'peer', peer.publicKey, 'preshared-key', pskFile, 'allowed-ips', allowed]),
      );
    },
    rewriteAll: async () => {
      next();
      return timed(async () => {
        write();
        await must('bash', ['-c', `wg syncconf ${name} <(wg-quick strip ${file})`]);
      });
    },
    restart: async () => {
      await daemon.kill('SIGTERM');
      write();
      return timed(async () => {
        daemon = await begin();
        await until(
          'the peers',
          () => must('ip', [...inside, 'wg', 'setconf', name, file]).then(() => true),
          30_000,
          5,
        );
      });
    },
    close: () => daemon.kill('SIGTERM'),
  };
}

/** WireGuard's tools accept any 32 bytes as a public key. */
function curvePoint(): string {
  const bytes = randomBytes(32);
  bytes[31]! &= 127;
  return bytes.toString('base64');
}

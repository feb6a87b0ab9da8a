import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMutex } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import type { PeerCommand, PeerStatus, WireguardBackend } from './wireguard-backend.ts';

const ANSWER_TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 5_000;

/**
 * wireguard-go over its configuration socket (https://www.wireguard.com/xplatform/). The connection is kept open: a
 * change takes a tenth of a millisecond, and its end shows at once that the daemon has died.
 */
export function createUapiBackend(
  shell: Shell,
  interfaceName: string,
  directory = '/var/run/wireguard',
): WireguardBackend {
  const path = `${directory}/${interfaceName}.sock`;
  const listeners: (() => void)[] = [];
  let connection: Connection | undefined;
  const mutex = createMutex();

  const open = async (): Promise<Connection> => {
    if (connection?.isOpen()) return connection;
    connection = await openConnection(path, () => {
      for (const listener of listeners) listener();
    });
    return connection;
  };
  const request = (text: string): Promise<string> => mutex.runExclusive(async () => (await open()).request(text));

  return {
    name: 'userspace',
    isUp: async () => {
      try {
        await open();
        return true;
      } catch {
        return false;
      }
    },
    create: async () => {
      await shell.startDaemon('wireguard-go', ['-f', interfaceName], { LOG_LEVEL: 'error' });
      const deadline = performance.now() + START_TIMEOUT_MS;
      for (;;) {
        try {
          await open();
          return;
        } catch (error) {
          if (performance.now() > deadline) throw new Error('wireguard-go does not answer', { cause: error });
          await sleep(5);
        }
      }
    },
    configure: async ({ privateKey, listenPort }) => {
      await request(`set=1\nprivate_key=${toHex(privateKey)}\nlisten_port=${listenPort}\n\n`);
    },
    apply: async (commands) => {
      await request(`set=1\n${commands.map(toUapi).join('')}\n`);
    },
    list: async () => parsePeers(await request('get=1\n\n')),
    onLost: (listener) => listeners.push(listener),
    remove: async () => {
      listeners.length = 0;
      connection?.end();
      await shell.run('ip', ['link', 'del', interfaceName]);
    },
    disconnect: () => {
      listeners.length = 0;
      connection?.end();
    },
  };
}

function toUapi(command: PeerCommand): string {
  const key = `public_key=${toHex(command.publicKey)}\n`;
  if (command.kind === 'remove') return `${key}remove=true\n`;
  if (command.kind === 'stop-keepalive') return `${key}update_only=true\npersistent_keepalive_interval=0\n`;
  const addresses = command.allowedIps.map((address) => `allowed_ip=${address}\n`).join('');
  const endpoint = command.endpoint ? `endpoint=${command.endpoint}\n` : '';
  const keepalive = command.keepalive ? 'persistent_keepalive_interval=25\n' : '';
  return `${key}preshared_key=${toHex(command.presharedKey)}\n${endpoint}${keepalive}replace_allowed_ips=true\n${addresses}`;
}

function parsePeers(answer: string): PeerStatus[] {
  const peers: { publicKey: string; endpoint: string | null; handshakeSeconds: number }[] = [];
  for (const line of answer.split('\n')) {
    const separator = line.indexOf('=');
    const value = line.slice(separator + 1);
    const peer = peers.at(-1);
    switch (line.slice(0, separator)) {
      case 'public_key':
        peers.push({ publicKey: toBase64(value), endpoint: null, handshakeSeconds: 0 });
        break;
      case 'endpoint':
        if (peer) peer.endpoint = value;
        break;
      case 'last_handshake_time_sec':
        if (peer) peer.handshakeSeconds = Number(value);
        break;
    }
  }
  return peers;
}

function toHex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

interface Connection {
  request(text: string): Promise<string>;
  isOpen(): boolean;
  end(): void;
}

function openConnection(path: string, onLost: () => void): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(openRequests(socket, onLost));
    });
  });
}

function openRequests(socket: Socket, onLost: () => void): Connection {
  let received: string[] = [];
  let waiting: { resolve(answer: string): void; reject(error: Error): void } | undefined;
  let isEnding = false;

  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('close', () => {
    waiting?.reject(new Error('wireguard-go closed its socket'));
    waiting = undefined;
    if (!isEnding) onLost();
  });
  socket.on('data', (text: string) => {
    received.push(text);
    const tail = received.slice(-2).join('').slice(-40);
    const status = /errno=(-?\d+)\n\n$/.exec(tail)?.[1];
    if (status === undefined) return;
    const answer = received.join('');
    received = [];
    if (status === '0') waiting?.resolve(answer);
    else waiting?.reject(new Error(`wireguard-go refused: errno ${status}`));
    waiting = undefined;
  });

  return {
    request: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => socket.destroy(new Error('timeout')), ANSWER_TIMEOUT_MS);
        const settle =
          <T>(finish: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            finish(value);
          };
        waiting = { resolve: settle(resolve), reject: settle(reject) };
        socket.write(text);
      }),
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    end: () => {
      isEnding = true;
      socket.end();
    },
  };
}

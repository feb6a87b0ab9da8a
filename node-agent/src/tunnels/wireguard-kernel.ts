import type { Shell } from '../platform/shell.ts';
import type { PeerCommand, PeerStatus, WireguardBackend } from './wireguard-backend.ts';

/** `wg` takes the keys to remove as arguments; this many fit on a command line with room to spare. */
const REMOVALS_PER_COMMAND = 1_000;

/**
 * The kernel's WireGuard through `wg`, which also works with wireguard-go. Secrets are passed through `/dev/stdin`, never
 * as arguments, which every process of the machine can read.
 */
export function createKernelBackend(shell: Shell, interfaceName: string): WireguardBackend {
  const wg = (args: readonly string[]) => shell.run('wg', args);

  return {
    name: 'kernel',
    isUp: async () => {
      try {
        await wg(['show', interfaceName, 'listen-port']);
        return true;
      } catch {
        return false;
      }
    },
    create: async () => {
      await shell.run('ip', ['link', 'add', interfaceName, 'type', 'wireguard']);
    },
    configure: async ({ privateKey, listenPort }) => {
      const port = ['listen-port', String(listenPort)];
      await shell.runOnFile('wg', ['set', interfaceName, 'private-key', '/dev/stdin', ...port], `${privateKey}\n`);
    },
    apply: async (commands) => {
      const removed = commands.filter((command) => command.kind === 'remove').map((command) => command.publicKey);
      for (let start = 0; start < removed.length; start += REMOVALS_PER_COMMAND) {
        const keys = removed.slice(start, start + REMOVALS_PER_COMMAND);
        await wg(['set', interfaceName, ...keys.flatMap((key) => ['peer', key, 'remove'])]);
      }
      const stopped = commands
        .filter((command) => command.kind === 'stop-keepalive')
        .map((command) => command.publicKey);
      for (let start = 0; start < stopped.length; start += REMOVALS_PER_COMMAND) {
        const keys = stopped.slice(start, start + REMOVALS_PER_COMMAND);
        await wg(['set', interfaceName, ...keys.flatMap((key) => ['peer', key, 'persistent-keepalive', '0'])]);
      }
      const sections = commands.map(toSection).join('');
      if (sections) await shell.runOnFile('wg', ['addconf', interfaceName, '/dev/stdin'], sections);
    },
    list: async () => parseDump(await wg(['show', interfaceName, 'dump'])),
    onLost: () => {},
    remove: async () => {
      await shell.run('ip', ['link', 'del', interfaceName]);
    },
    disconnect: () => {},
  };
}

function toSection(command: PeerCommand): string {
  if (command.kind !== 'set') return '';
  const lines = [
    '[Peer]',
    `PublicKey = ${command.publicKey}`,
    `PresharedKey = ${command.presharedKey}`,
    `AllowedIPs = ${command.allowedIps.join(', ')}`,
  ];
  if (command.endpoint) lines.push(`Endpoint = ${command.endpoint}`);
  if (command.keepalive) lines.push('PersistentKeepalive = 25');
  return `${lines.join('\n')}\n`;
}

function parseDump(dump: string): PeerStatus[] {
  const lines = dump.split('\n').slice(1);
  return lines.filter(Boolean).map((line) => {
    const [publicKey = '', , endpoint = '', , handshakeSeconds] = line.split('\t');
    const known = endpoint === '(none)' ? null : endpoint;
    return { publicKey, endpoint: known, handshakeSeconds: Number(handshakeSeconds) };
  });
}

import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { WireguardIdentity } from '../control/plan.ts';
import type { Shell } from '../platform/shell.ts';
import type { Tunnel, TunnelActivity } from './tunnel.ts';
import type { PeerCommand, WireguardBackend } from './wireguard-backend.ts';
import { createKernelBackend } from './wireguard-kernel.ts';
import { createUapiBackend } from './wireguard-uapi.ts';

export type BackendChoice = 'auto' | 'userspace' | 'kernel';

export interface WireguardOptions {
  readonly interfaceName: string;
  readonly privateKey: string;
  /** The machine's wall clock, in which the daemon reports handshake times. */
  now(): number;
}

/** After a restart of the daemon the node initiates handshakes with devices that were live, for this long. */
const KEEPALIVE_MS = 10_000;

/** Uses the kernel's WireGuard if there is one, otherwise wireguard-go. */
export async function chooseBackend(
  shell: Shell,
  interfaceName: string,
  choice: BackendChoice,
): Promise<WireguardBackend> {
  if (choice === 'userspace') return createUapiBackend(shell, interfaceName);
  if (choice === 'kernel') return createKernelBackend(shell, interfaceName);
  const running = createUapiBackend(shell, interfaceName);
  if (await running.isUp()) return running;
  return (await hasKernelWireguard(shell, interfaceName)) ? createKernelBackend(shell, interfaceName) : running;
}

export function createWireguardTunnel(shell: Shell, backend: WireguardBackend, options: WireguardOptions): Tunnel {
  /** Last known endpoints, for reconnecting devices after a restart of the daemon. In memory only, by design. */
  let endpoints = new Map<string, string>();
  let keepaliveTimer: NodeJS.Timeout | undefined;
  /** True from the creation of the interface until its peers are restored. */
  let needsKeepalive = false;

  function toCommand({ publicKey, presharedKey, address4, address6 }: WireguardIdentity): PeerCommand {
    const endpoint = needsKeepalive ? endpoints.get(publicKey) : undefined;
    const allowedIps = [`${address4}/32`, `${address6}/128`];
    return { kind: 'set', publicKey, presharedKey, allowedIps, ...(endpoint ? { endpoint, keepalive: true } : {}) };
  }

  async function stopKeepalive(publicKeys: readonly string[]): Promise<void> {
    const present = new Set((await backend.list()).map((peer) => peer.publicKey));
    const stopped = publicKeys.filter((publicKey) => present.has(publicKey));
    if (stopped.length > 0) await backend.apply(stopped.map((publicKey) => ({ kind: 'stop-keepalive', publicKey })));
  }

  function stopKeepaliveLater(publicKeys: readonly string[]): void {
    if (publicKeys.length === 0) return;
    // A failure costs only keepalive packets.
    keepaliveTimer = setTimeout(() => {
      stopKeepalive(publicKeys).catch(() => {});
    }, KEEPALIVE_MS);
  }

  return {
    protocol: 'wireguard',
    name: 'wireguard',
    interfaceName: options.interfaceName,
    backend: backend.name,
    hasSessions: false,
    settingsOf: (settings) => settings.wireguard,

    open: async (settings) => {
      const adopted = await backend.isUp();
      if (!adopted) await backend.create();
      needsKeepalive = !adopted;
      await backend.configure({ privateKey: options.privateKey, listenPort: settings.wireguard.listenPort });
      await addressInterface(shell, options.interfaceName, settings);
      const peers = adopted ? await backend.list() : [];
      const installed = new Set(peers.map((peer) => peer.publicKey));
      return { adopted, installed, nodeAddresses: nodeAddressesOf(settings) };
    },

    apply: async (install, forget) => {
      if (install.length === 0 && forget.length === 0) return;
      const removals = forget.map((publicKey): PeerCommand => ({ kind: 'remove', publicKey }));
      const sets = install.filter((peer) => peer.protocol === 'wireguard').map(toCommand);
      await backend.apply([...removals, ...sets]);
      if (!needsKeepalive) return;
      needsKeepalive = false;
      stopKeepaliveLater(
        sets.filter((command) => command.kind === 'set' && command.keepalive).map((command) => command.publicKey),
      );
    },

    listActivity: async () => {
      const now = options.now() / 1000;
      const seen = new Map<string, string>();
      const activities: TunnelActivity[] = [];
      for (const peer of await backend.list()) {
        if (peer.handshakeSeconds === 0) continue;
        const handshakeAgeSeconds = Math.max(0, Math.round(now - peer.handshakeSeconds));
        activities.push({ credential: peer.publicKey, handshakeAgeSeconds });
        if (peer.endpoint && handshakeAgeSeconds < limits.connection.handshakeFreshSeconds)
          seen.set(peer.publicKey, peer.endpoint);
      }
      if (!needsKeepalive) endpoints = seen;
      return activities;
    },

    isUp: () => backend.isUp(),
    onLost: (listener) => backend.onLost(listener),
    close: async (teardown) => {
      clearTimeout(keepaliveTimer);
      if (teardown) await backend.remove();
      else backend.disconnect();
    },
  };
}

function nodeAddressesOf({ wireguard }: NodeSettings): string[] {
  return [wireguard.address4, wireguard.address6].map((address) => address.split('/')[0] as string);
}

async function addressInterface(shell: Shell, interfaceName: string, settings: NodeSettings): Promise<void> {
  const { address4, address6, mtu } = settings.wireguard;
  const script = [
    `addr replace ${address4} dev ${interfaceName}`,
    `addr replace ${address6} dev ${interfaceName} nodad`,
    `link set ${interfaceName} mtu ${mtu} up`,
  ];
  await shell.run('ip', ['-batch', '-'], { input: `${script.join('\n')}\n` });
}

async function hasKernelWireguard(shell: Shell, interfaceName: string): Promise<boolean> {
  try {
    await shell.run('ip', ['link', 'show', 'dev', interfaceName, 'type', 'wireguard']);
    return true;
  } catch {
    // It does not exist yet: test whether one can be created.
  }
  const probe = `${interfaceName.slice(0, 12)}pr`;
  try {
    await shell.run('ip', ['link', 'add', probe, 'type', 'wireguard']);
    await shell.run('ip', ['link', 'del', probe]);
    return true;
  } catch {
    return false;
  }
}

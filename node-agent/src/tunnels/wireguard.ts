import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { WireguardIdentity } from '../control/plan.ts';
import type { Shell } from '../platform/shell.ts';
import type { Tunnel, TunnelLife } from './tunnel.ts';
import type { PeerCommand, WireguardBackend } from './wireguard-backend.ts';
import { createKernelBackend } from './wireguard-kernel.ts';
import { createUapiBackend } from './wireguard-uapi.ts';

export type BackendChoice = 'auto' | 'userspace' | 'kernel';

export interface WireguardPlace {
  readonly interfaceName: string;
  readonly privateKey: string;
  /** The machine's wall clock: handshake times come from the daemon in it. */
  now(): number;
}

/** After a restart of the daemon the node speaks first to devices that were live; so long until it stops. */
const WAKE_MS = 10_000;
/** A tunnel whose last handshake is older is not live (WireGuard's reject-after time). */
const LIVE_SECONDS = 180;

/** Takes the kernel's WireGuard where there is one, else wireguard-go. */
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

export function createWireguardTunnel(shell: Shell, backend: WireguardBackend, place: WireguardPlace): Tunnel {
  /** Where devices were last, so that they can be woken after a restart of the daemon. In memory only, by design. */
  let endpoints = new Map<string, string>();
  let calming: NodeJS.Timeout | undefined;

  /** True from the making of the interface until its peers are back. */
  let needsWake = false;

  function toCommand(peer: WireguardIdentity): PeerCommand {
    const endpoint = needsWake ? endpoints.get(peer.publicKey) : undefined;
    return {
      kind: 'set',
      publicKey: peer.publicKey,
      presharedKey: peer.presharedKey,
      allowedIps: [`${peer.address4}/32`, `${peer.address6}/128`],
      ...(endpoint ? { endpoint, wakes: true } : {}),
    };
  }

  async function calm(publicKeys: readonly string[]): Promise<void> {
    const present = new Set((await backend.list()).map((peer) => peer.publicKey));
    const calmed = publicKeys.filter((publicKey) => present.has(publicKey));
    if (calmed.length > 0) await backend.apply(calmed.map((publicKey) => ({ kind: 'calm', publicKey })));
  }

  function calmLater(publicKeys: readonly string[]): void {
    if (publicKeys.length === 0) return;
    // Failing costs nothing but keepalive packets.
    calming = setTimeout(() => {
      calm(publicKeys).catch(() => {});
    }, WAKE_MS);
  }

  return {
    protocol: 'wireguard',
    interfaceName: place.interfaceName,
    hasSessions: false,
    settingsOf: (settings) => settings.wireguard,

    open: async (settings) => {
      const adopted = await backend.isUp();
      if (!adopted) await backend.create();
      needsWake = !adopted;
      await backend.configure({ privateKey: place.privateKey, listenPort: settings.wireguard.listenPort });
      await addressInterface(shell, place.interfaceName, settings);
      const peers = adopted ? await backend.list() : [];
      return { adopted, installed: new Set(peers.map((peer) => peer.publicKey)), ownAddresses: ownAddresses(settings) };
    },

    apply: async (install, forget) => {
      if (install.length === 0 && forget.length === 0) return;
      const removals = forget.map((publicKey): PeerCommand => ({ kind: 'remove', publicKey }));
      const sets = install.filter((peer) => peer.protocol === 'wireguard').map(toCommand);
      await backend.apply([...removals, ...sets]);
      if (!needsWake) return;
      needsWake = false;
      calmLater(sets.filter((command) => command.kind === 'set' && command.wakes).map((command) => command.publicKey));
    },

    listLives: async () => {
      const now = place.now() / 1000;
      const seen = new Map<string, string>();
      const lives: TunnelLife[] = [];
      for (const peer of await backend.list()) {
        if (peer.handshakeSeconds === 0) continue;
        const handshakeAgeSeconds = Math.max(0, Math.round(now - peer.handshakeSeconds));
        lives.push({ credential: peer.publicKey, handshakeAgeSeconds });
        if (peer.endpoint && handshakeAgeSeconds < LIVE_SECONDS) seen.set(peer.publicKey, peer.endpoint);
      }
      if (!needsWake) endpoints = seen;
      return lives;
    },

    isUp: () => backend.isUp(),
    onLost: (listener) => backend.onLost(listener),
    close: async (teardown) => {
      clearTimeout(calming);
      if (teardown) await backend.remove();
      else backend.disconnect();
    },
  };
}

function ownAddresses({ wireguard }: NodeSettings): string[] {
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
    // Not there yet: try whether one can be made.
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

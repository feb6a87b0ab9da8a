import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { createMutex } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import { isVersionAtLeast } from '../platform/version.ts';
import { createGracefulDisconnects } from './graceful-disconnect.ts';
import { createOpenvpnDaemon } from './openvpn-daemon.ts';
import { addressIn, deviceIn, type OpenvpnSettings, openvpnFiles, settingsFor } from './openvpn-files.ts';
import type { Management, Session } from './openvpn-management.ts';
import type { Opened, Tunnel, TunnelActivity } from './tunnel.ts';

export interface OpenvpnOptions {
  readonly interfaceName: string;
  readonly transport: 'udp' | 'tcp';
  /** PKCS #8, PEM; and SubjectPublicKeyInfo in base64. */
  readonly privateKey: string;
  readonly publicKey: string;
  elapsedMs(): number;
}

/** The first with tls-crypt-v2 (2.5) and all options that we use. */
const OLDEST_VERSION = [2, 6] as const;
/** How long a device whose slot is needed has to receive its notice. */
const SHORT_GRACE_MS = 120;
/** The daemon's name for a device that has not authenticated yet. */
const UNAUTHENTICATED = 'UNDEF';

/** Whether this machine has a recent enough OpenVPN. */
export async function hasOpenvpn(shell: Shell): Promise<boolean> {
  try {
    const version = /^OpenVPN (\d+\.\d+)/.exec(await shell.run('openvpn', ['--version']))?.[1];
    return isVersionAtLeast(version, OLDEST_VERSION);
  } catch {
    return false;
  }
}

/**
 * OpenVPN 2.6 as a separate process, which outlives the agent. A device is let in by a file named like its certificate, so
 * that admitting or refusing it, or restarting the agent, affects no other device. Sessions are ended over the management
 * socket. A daemon serves one transport; that for TCP lets the same devices in, at the same slots of another network.
 */
export function createOpenvpnTunnel(shell: Shell, options: OpenvpnOptions): Tunnel {
  const { interfaceName, transport, elapsedMs } = options;
  let network: OpenvpnSettings | undefined;
  const files = openvpnFiles(interfaceName);
  const listeners: (() => void)[] = [];
  const onLost = () => {
    for (const listener of listeners) listener();
  };
  const daemon = createOpenvpnDaemon(shell, files, { interfaceName, elapsedMs, onLost });
  const ages = createAges(elapsedMs);
  const mutex = createMutex();
  const disconnects = createGracefulDisconnects();

  async function open(settings: OpenvpnSettings | undefined): Promise<Opened> {
    if (!settings) throw new Error('there are no settings for OpenVPN yet');
    network = settings;
    const adopted = await daemon.ensure(files.writeServer(settings, options.privateKey));
    const nodeAddresses = [settings.address4, settings.address6].map((address) => address.split('/')[0] as string);
    return { adopted, installed: new Set(files.listAdmitted()), nodeAddresses };
  }

  async function end(): Promise<void> {
    network = undefined;
    await daemon.stop();
    files.remove();
  }

  /** A blocked device may come back, so it disconnects gracefully; the slot of a forgotten one is needed now. */
  async function disconnect(management: Management, blocked: readonly string[], forget: readonly string[]) {
    const connected = new Set(await management.requestDisconnect([...blocked, ...forget]));
    const isConnected = (commonName: string) => connected.has(commonName);
    const listPresent = async () => (await management.listSessions()).map(({ commonName }) => commonName);
    // A message that is sent during a key renegotiation is lost: the client decrypts it with neither key.
    const repeat = management.requestDisconnect;
    disconnects.start(blocked.filter(isConnected), { listPresent, repeat, end: management.endSessions });
    if (!forget.some(isConnected)) return;
    await sleep(SHORT_GRACE_MS);
    await management.endSessions(forget.filter(isConnected));
  }

  return {
    protocol: 'openvpn',
    name: transport === 'tcp' ? 'openvpn_tcp' : 'openvpn',
    interfaceName,
    hasSessions: true,
    ...(transport === 'udp' ? { certifiedKey: options.publicKey } : {}),
    settingsOf: (settings) => settingsFor(transport, settings.openvpn),
    addressOf: (address4) => (network ? addressIn(network.address4, address4) : address4),
    leave: () => mutex.runExclusive(end),
    open: (settings) => mutex.runExclusive(() => open(settingsFor(transport, settings.openvpn))),

    apply: async (install, forget) => {
      const devices = install.filter((peer): peer is OpenvpnIdentity => peer.protocol === 'openvpn');
      const allowed = devices.filter((device) => !device.blocked);
      const blocked = devices.filter((device) => device.blocked).map(({ commonName }) => commonName);
      const refused = [...forget, ...blocked];
      for (const commonName of refused) files.refuse(commonName);
      const returning = disconnects.cancel(allowed.map(({ commonName }) => commonName));
      const management = refused.length + returning.length > 0 ? await daemon.connection() : null;
      await management?.endSessions(returning);
      if (refused.length > 0 && management) await disconnect(management, blocked, forget);
      // Over TCP nobody is let in before the network there is known: all are, when it opens.
      const own = transport === 'udp' ? allowed : network ? allowed.map(deviceIn.bind(null, network)) : [];
      for (const device of own) files.admit(device);
    },

    listActivity: async () => ages.of((await (await daemon.connection())?.listSessions()) ?? []),
    isUp: async () => daemon.isUp(),
    onLost: (listener) => listeners.push(listener),

    close: async (teardown) => {
      listeners.length = 0;
      if (!teardown) {
        daemon.disconnect();
        return;
      }
      await end();
    },
  };
}

/** A device sends something every ten seconds, so it has been silent since its byte count last changed. */
function createAges(elapsedMs: () => number): { of(sessions: readonly Session[]): TunnelActivity[] } {
  let received = new Map<string, { readonly bytes: number; readonly atMs: number }>();
  return {
    of: (sessions) => {
      const nowMs = elapsedMs();
      const named = sessions.filter(({ commonName }) => commonName !== UNAUTHENTICATED);
      received = new Map(
        named.map(({ clientId, receivedBytes }) => {
          const last = received.get(clientId);
          return [clientId, last?.bytes === receivedBytes ? last : { bytes: receivedBytes, atMs: nowMs }];
        }),
      );
      return named.map(({ commonName, clientId }) => {
        const ageMs = nowMs - (received.get(clientId)?.atMs ?? nowMs);
        return { credential: commonName, handshakeAgeSeconds: Math.round(ageMs / 1000) };
      });
    },
  };
}

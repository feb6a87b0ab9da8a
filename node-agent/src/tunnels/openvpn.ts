import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { createTurns } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import { isVersionAtLeast } from '../platform/version.ts';
import { createFarewells } from './graceful-disconnect.ts';
import { createOpenvpnDaemon } from './openvpn-daemon.ts';
import { type OpenvpnSettings, openvpnFiles } from './openvpn-files.ts';
import type { Management, Session } from './openvpn-management.ts';
import type { Opened, Tunnel, TunnelLife } from './tunnel.ts';

export interface OpenvpnPlace {
  readonly interfaceName: string;
  /** PKCS #8, PEM; and SubjectPublicKeyInfo in base64. */
  readonly privateKey: string;
  readonly publicKey: string;
  elapsedMs(): number;
}

/** With tls-crypt-v2 (2.5) and options of ours. */
const OLDEST_VERSION = [2, 6] as const;
/** So long a device whose slot is needed has to hear that it is to end. */
const FAREWELL_MS = 120;
/** What the daemon calls a device that has not proved its name yet. */
const NAMELESS = 'UNDEF';

/** Whether this machine has an OpenVPN that can do what is asked of it. */
export async function hasOpenvpn(shell: Shell): Promise<boolean> {
  try {
    const version = /^OpenVPN (\d+\.\d+)/.exec(await shell.run('openvpn', ['--version']))?.[1];
    return isVersionAtLeast(version, OLDEST_VERSION);
  } catch {
    return false;
  }
}

/**
 * OpenVPN 2.6 as a process of its own, which outlives the agent. A device is let in by a file that bears the name in its
 * certificate, so that letting in, refusing and restarting the agent touch nobody else; ending a session takes a word
 * over the management socket.
 */
export function createOpenvpnTunnel(shell: Shell, place: OpenvpnPlace): Tunnel {
  const { interfaceName, elapsedMs } = place;
  const files = openvpnFiles(interfaceName);
  const listeners: (() => void)[] = [];
  const onLost = () => {
    for (const listener of listeners) listener();
  };
  const daemon = createOpenvpnDaemon(shell, files, { interfaceName, elapsedMs, onLost });
  const ages = createAges(elapsedMs);
  const inTurn = createTurns();
  const farewells = createFarewells();

  async function open(settings: OpenvpnSettings | undefined): Promise<Opened> {
    if (!settings) throw new Error('there are no settings for OpenVPN yet');
    const adopted = await daemon.ensure(files.writeServer(settings, place.privateKey));
    const ownAddresses = [settings.address4, settings.address6].map((address) => address.split('/')[0] as string);
    return { adopted, installed: new Set(files.listAdmitted()), ownAddresses };
  }

  /** A blocked device may come back, so it has time to hear that it is to end; the slot of a forgotten one is needed. */
  async function seeOff(management: Management, blocked: readonly string[], forget: readonly string[]): Promise<void> {
    const told = new Set(await management.dismiss([...blocked, ...forget]));
    const isHere = (commonName: string) => told.has(commonName);
    const listPresent = async () => (await management.listSessions()).map(({ commonName }) => commonName);
    // What is said in the middle of new keys is lost: the client reads it by none of them.
    const tellAgain = management.dismiss;
    farewells.begin(blocked.filter(isHere), { listPresent, tellAgain, end: management.forget });
    if (!forget.some(isHere)) return;
    await sleep(FAREWELL_MS);
    await management.forget(forget.filter(isHere));
  }

  return {
    protocol: 'openvpn',
    interfaceName,
    hasSessions: true,
    certifiedKey: place.publicKey,
    settingsOf: (settings) => settings.openvpn,

    open: (settings) => inTurn(() => open(settings.openvpn)),

    apply: async (install, forget) => {
      const devices = install.filter((peer): peer is OpenvpnIdentity => peer.protocol === 'openvpn');
      const allowed = devices.filter((device) => !device.blocked);
      const blocked = devices.filter((device) => device.blocked).map(({ commonName }) => commonName);
      const refused = [...forget, ...blocked];
      for (const commonName of refused) files.dismiss(commonName);
      const back = farewells.interrupt(allowed.map(({ commonName }) => commonName));
      const management = refused.length + back.length > 0 ? await daemon.speak() : null;
      await management?.forget(back);
      if (refused.length > 0 && management) await seeOff(management, blocked, forget);
      for (const device of allowed) files.admit(device);
    },

    listLives: async () => ages.of((await (await daemon.speak())?.listSessions()) ?? []),
    isUp: async () => daemon.isUp(),
    onLost: (listener) => listeners.push(listener),

    close: async (teardown) => {
      listeners.length = 0;
      if (!teardown) {
        daemon.hangUp();
        return;
      }
      await daemon.stop();
      files.remove();
    },
  };
}

/** A device sends something every ten seconds: since when its count stands still is since when it is silent. */
function createAges(elapsedMs: () => number): { of(sessions: readonly Session[]): TunnelLife[] } {
  let heard = new Map<string, { readonly bytes: number; readonly atMs: number }>();
  return {
    of: (sessions) => {
      const nowMs = elapsedMs();
      const named = sessions.filter(({ commonName }) => commonName !== NAMELESS);
      heard = new Map(
        named.map(({ clientId, heardBytes }) => {
          const last = heard.get(clientId);
          return [clientId, last?.bytes === heardBytes ? last : { bytes: heardBytes, atMs: nowMs }];
        }),
      );
      return named.map(({ commonName, clientId }) => {
        const ageMs = nowMs - (heard.get(clientId)?.atMs ?? nowMs);
        return { credential: commonName, handshakeAgeSeconds: Math.round(ageMs / 1000) };
      });
    },
  };
}

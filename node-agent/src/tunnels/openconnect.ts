import type { OpenvpnIdentity } from '../control/plan.ts';
import { links } from '../platform/link.ts';
import { createMutex } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import { createOpenconnectDaemon, type OpenconnectSession } from './openconnect-daemon.ts';
import { type OpenconnectSettings, openconnectFiles, openconnectSettings } from './openconnect-files.ts';
import { addressIn, deviceIn } from './openvpn-files.ts';
import type { Opened, Tunnel, TunnelActivity } from './tunnel.ts';

export interface OpenconnectOptions {
  /** The beginning of the names of its interfaces: each connected device has one. */
  readonly interfaceName: string;
  /** Where a script may be executed. */
  readonly scriptDirectory: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  elapsedMs(): number;
}

/** ocserv asks a silent device, a phone after 25 seconds, and ends a session that does not answer. */
const LONGEST_SILENCE_MS = 60_000;
/** Each question to ocserv is a process. */
const LIST_MS = 2_000;

/** Whether this machine has ocserv; one that does not know our options does not start, and the other protocols go on. */
export async function hasOpenconnect(shell: Shell): Promise<boolean> {
  return await shell.run('ocserv', ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * OpenConnect (TLS, and DTLS where UDP gets through), by ocserv: for the devices of OpenVPN, with their certificates, at the same
 * slots of another network. A device is let in by a file named like its certificate. ocserv believes what a device says about its
 * inner address; the firewall compares it (`firewall/table-script.ts`).
 */
export function createOpenconnectTunnel(shell: Shell, options: OpenconnectOptions): Tunnel {
  const { interfaceName, elapsedMs } = options;
  let network: OpenconnectSettings | undefined;
  const files = openconnectFiles(interfaceName, options.scriptDirectory);
  const daemon = createOpenconnectDaemon(shell, files, { elapsedMs });
  const mutex = createMutex();
  const activity = createActivity(interfaceName, daemon.listSessions, elapsedMs);

  async function open(settings: OpenconnectSettings | undefined): Promise<Opened> {
    if (!settings) throw new Error('there are no settings for OpenConnect yet');
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

  return {
    protocol: 'openvpn',
    name: 'openconnect',
    interfaceName,
    hasInterfacePerDevice: true,
    hasSessions: true,
    settingsOf: openconnectSettings,
    addressOf: (address4) => (network ? addressIn(network.address4, address4) : address4),
    leave: () => mutex.runExclusive(end),
    open: (settings) => mutex.runExclusive(() => open(openconnectSettings(settings))),

    apply: async (install, forget) => {
      const devices = install.filter((peer): peer is OpenvpnIdentity => peer.protocol === 'openvpn');
      const blocked = devices.filter((device) => device.blocked).map(({ commonName }) => commonName);
      const refused = [...forget, ...blocked];
      for (const commonName of refused) files.refuse(commonName);
      // The client is told, and does not come back by itself.
      await daemon.endSessions(refused);
      // Nobody is let in before the network is known: all are, when it opens.
      if (!network) return;
      for (const device of devices) if (!device.blocked) files.admit(deviceIn(network, device));
    },

    listActivity: activity.list,
    isUp: async () => daemon.isUp(),
    onLost: () => {},
    close: async (teardown) => {
      if (teardown) await end();
    },
  };
}

/** Every connected device has an interface, so without a new one the sessions are those of the last answer for a while. */
function createActivity(
  interfaceName: string,
  listSessions: () => Promise<OpenconnectSession[]>,
  elapsedMs: () => number,
): { list(): Promise<TunnelActivity[]> } {
  let last: { readonly atMs: number; readonly devices: string; readonly sessions: readonly OpenconnectSession[] } = {
    atMs: -LIST_MS,
    devices: '',
    sessions: [],
  };
  let received = new Map<number, { readonly bytes: number; readonly atMs: number }>();
  return {
    list: async () => {
      const nowMs = elapsedMs();
      const devices = links.listNumbered(interfaceName).join();
      if (devices === '') return [];
      if (devices !== last.devices || nowMs - last.atMs >= LIST_MS) {
        const sessions = await listSessions();
        last = { atMs: nowMs, devices, sessions };
        received = new Map(
          sessions.map(({ id, receivedBytes }) => {
            const before = received.get(id);
            return [id, before?.bytes === receivedBytes ? before : { bytes: receivedBytes, atMs: nowMs }];
          }),
        );
      }
      return last.sessions.map(({ commonName, id }) => {
        const silentMs = nowMs - (received.get(id)?.atMs ?? nowMs);
        return {
          credential: commonName,
          handshakeAgeSeconds: Math.round(Math.min(silentMs, LONGEST_SILENCE_MS) / 1000),
        };
      });
    },
  };
}

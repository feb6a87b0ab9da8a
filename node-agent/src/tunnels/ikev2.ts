import { createHash } from 'node:crypto';
import type { Ikev2Identity } from '../control/plan.ts';
import { createMutex } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import {
  deviceCommands,
  type Ikev2Settings,
  identityRequestConnection,
  LONGEST_SILENCE_SECONDS,
  userNameOf,
} from './ikev2-commands.ts';
import { createIkev2Daemon } from './ikev2-daemon.ts';
import { createIkev2Devices } from './ikev2-devices.ts';
import { type Ikev2Files, type IpsecMode, ikev2Files } from './ikev2-files.ts';
import { ikev2Interface, openInterface, removeInterface } from './ikev2-interface.ts';
import type { Opened, Tunnel, TunnelActivity } from './tunnel.ts';
import type { Message } from './vici-message.ts';

export interface Ikev2Options {
  /** Name of the daemon's directory, and of its interface where the agent creates it. */
  readonly name: string;
  readonly mode: IpsecMode;
  /** PKCS #8, PEM; and SubjectPublicKeyInfo in base64. */
  readonly privateKey: string;
  readonly publicKey: string;
  elapsedMs(): number;
}

/** Stands for any device in the hash of the daemon's setup. */
const SPECIMEN: Ikev2Identity = {
  id: '',
  protocol: 'ikev2',
  userName: 'specimen',
  ntHash: '0'.repeat(32),
  blocked: false,
  address4: '192.0.2.1',
  address6: '2001:db8::1',
};

/**
 * IKEv2 with strongSwan's charon as a separate process, which outlives the agent. Devices authenticate by name and secret
 * (EAP-MSCHAPv2), the node by its certificate. The daemon stores nothing: after its start it is given everything.
 */
export function createIkev2Tunnel(shell: Shell, options: Ikev2Options): Tunnel {
  const { mode, elapsedMs } = options;
  const interfaceName = ikev2Interface(options);
  const files = ikev2Files(options.name, mode);
  const listeners: (() => void)[] = [];
  const onLost = () => {
    for (const listener of listeners) listener();
  };
  const daemon = createIkev2Daemon(shell, files, { mode, interfaceName, elapsedMs, onLost });
  const devices = createIkev2Devices(mode);
  let settings: Ikev2Settings | undefined;
  /** Serialises opening and changes, so that no device is given to a daemon that is being replaced. */
  const mutex = createMutex();

  async function open(desired: Ikev2Settings | undefined): Promise<Opened> {
    if (!desired) throw new Error('there are no settings for IKEv2 yet');
    settings = desired;
    const setup = setupHash(files, desired, options);
    const { vici, adopted } = await daemon.ensure(setup);
    await openInterface(shell, { interfaceName, mode }, desired);
    if (adopted) await devices.adopt(vici);
    else {
      await vici.request('load-cert', { type: 'X509', flag: 'CA', data: desired.certificateAuthority });
      await vici.request('load-key', { type: 'any', data: options.privateKey });
      await vici.request('load-conn', identityRequestConnection(desired, mode));
      daemon.settle(setup);
      await devices.loadAll(vici, desired);
    }
    const nodeAddresses = [desired.address4, desired.address6].map((address) => address.split('/')[0] as string);
    return { adopted, installed: new Set(devices.listAdmitted()), nodeAddresses };
  }

  async function change(install: readonly Ikev2Identity[], forget: readonly string[]): Promise<void> {
    const vici = await daemon.connection();
    if (vici && settings) await devices.change(vici, settings, install, forget);
    else devices.record(install, forget);
  }

  return {
    protocol: 'ikev2',
    name: 'ikev2',
    interfaceName,
    hasSessions: true,
    certifiedKey: options.publicKey,
    settingsOf: (all) => all.ikev2,
    open: (all) => mutex.runExclusive(() => open(all.ikev2)),

    apply: async (install, forget) => {
      const own = install.filter((peer): peer is Ikev2Identity => peer.protocol === 'ikev2');
      if (own.length > 0 || forget.length > 0) await mutex.runExclusive(() => change(own, forget));
    },

    listActivity: async () => {
      const vici = await daemon.connection();
      if (!vici) return [];
      const all = parseActivity(await vici.list('list-sas', 'list-sa'));
      const admitted = devices.listAdmitted();
      const known = all.filter(({ credential }) => admitted.has(credential));
      if (known.length < all.length) {
        const present = all.map(({ credential }) => credential);
        // Under the mutex: a device that is just being let in is not unknown. A failure is repeated at the next call.
        mutex.runExclusive(() => devices.disconnectUnknown(vici, present)).catch(() => {});
      }
      return known;
    },

    isUp: async () => daemon.isUp(),
    onLost: (listener) => listeners.push(listener),

    close: async (teardown) => {
      listeners.length = 0;
      if (!teardown) {
        daemon.disconnect();
        return;
      }
      await daemon.stop();
      if (mode === 'kernel') await removeInterface(shell, interfaceName);
      files.remove();
    },
  };
}

/** Changes with everything that a daemon is given: an agent with another setup starts a new daemon. */
export function setupHash(files: Ikev2Files, desired: Ikev2Settings, { mode, publicKey }: Ikev2Options): string {
  const commands = [identityRequestConnection(desired, mode), deviceCommands(SPECIMEN, desired, mode)];
  const all = JSON.stringify([files.config, commands, mode, desired, publicKey]);
  return createHash('sha256').update(all).digest('hex');
}

/** Every event describes one connection. It contains addresses of devices, which are neither read nor kept. */
export function parseActivity(events: readonly Message[]): TunnelActivity[] {
  const ages = new Map<string, number>();
  for (const [name, row] of events.flatMap((event) => Object.entries(event))) {
    const userName = userNameOf(name);
    if (userName === undefined || !isSection(row) || row.state !== 'ESTABLISHED') continue;
    const silences = Object.values(row['child-sas'] ?? {}).map((child) =>
      isSection(child) ? toSeconds(child['use-in']) : Number.POSITIVE_INFINITY,
    );
    const age = Math.min(toSeconds(row.established), LONGEST_SILENCE_SECONDS, ...silences);
    ages.set(userName, Math.min(age, ages.get(userName) ?? age));
  }
  return [...ages].map(([credential, handshakeAgeSeconds]) => ({ credential, handshakeAgeSeconds }));
}

function isSection(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toSeconds(value: Message[string] | undefined): number {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds) : Number.POSITIVE_INFINITY;
}

import { createHash } from 'node:crypto';
import type { Ikev2Identity } from '../control/plan.ts';
import { createTurns } from '../platform/mutex.ts';
import type { Shell } from '../platform/shell.ts';
import { deviceWishes, gateWish, type Ikev2Settings, LONGEST_SILENCE_SECONDS, userNameOf } from './ikev2-commands.ts';
import { createIkev2Daemon } from './ikev2-daemon.ts';
import { createIkev2Devices } from './ikev2-devices.ts';
import { type Ikev2Files, type IpsecMode, ikev2Files } from './ikev2-files.ts';
import { ikev2Interface, openInterface, removeInterface } from './ikev2-interface.ts';
import type { Opened, Tunnel, TunnelLife } from './tunnel.ts';
import type { Message } from './vici-message.ts';

export interface Ikev2Place {
  /** Of its directory; and of its interface, where that is ours to name. */
  readonly name: string;
  readonly mode: IpsecMode;
  /** PKCS #8, PEM; and SubjectPublicKeyInfo in base64. */
  readonly privateKey: string;
  readonly publicKey: string;
  elapsedMs(): number;
}

/** Nobody: shows what a device's connection looks like. */
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
 * IKEv2 by strongSwan's charon as a process of its own, which outlives the agent. Devices prove themselves by name and
 * secret (EAP-MSCHAPv2), the node by its certificate. The daemon keeps nothing: after its start it is told everything.
 */
export function createIkev2Tunnel(shell: Shell, place: Ikev2Place): Tunnel {
  const { mode, elapsedMs } = place;
  const interfaceName = ikev2Interface(place);
  const files = ikev2Files(place.name, mode);
  const listeners: (() => void)[] = [];
  const onLost = () => {
    for (const listener of listeners) listener();
  };
  const daemon = createIkev2Daemon(shell, files, { mode, interfaceName, elapsedMs, onLost });
  const devices = createIkev2Devices(mode);
  let settings: Ikev2Settings | undefined;
  /** Opening and changing: nobody is told to a daemon that is on its way out. */
  const inTurn = createTurns();

  async function open(wanted: Ikev2Settings | undefined): Promise<Opened> {
    if (!wanted) throw new Error('there are no settings for IKEv2 yet');
    settings = wanted;
    const name = setupName(files, wanted, place);
    const { vici, adopted } = await daemon.ensure(name);
    await openInterface(shell, { interfaceName, mode }, wanted);
    if (adopted) await devices.adopt(vici);
    else {
      await vici.ask('load-cert', { type: 'X509', flag: 'CA', data: wanted.certificateAuthority });
      await vici.ask('load-key', { type: 'any', data: place.privateKey });
      await vici.ask('load-conn', gateWish(wanted, mode));
      daemon.settle(name);
      await devices.tellAll(vici, wanted);
    }
    const ownAddresses = [wanted.address4, wanted.address6].map((address) => address.split('/')[0] as string);
    return { adopted, installed: new Set(devices.listAdmitted()), ownAddresses };
  }

  async function change(install: readonly Ikev2Identity[], forget: readonly string[]): Promise<void> {
    const vici = await daemon.speak();
    if (vici && settings) await devices.change(vici, settings, install, forget);
    else devices.note(install, forget);
  }

  return {
    protocol: 'ikev2',
    interfaceName,
    hasSessions: true,
    certifiedKey: place.publicKey,
    settingsOf: (all) => all.ikev2,
    open: (all) => inTurn(() => open(all.ikev2)),

    apply: async (install, forget) => {
      const mine = install.filter((peer): peer is Ikev2Identity => peer.protocol === 'ikev2');
      if (mine.length > 0 || forget.length > 0) await inTurn(() => change(mine, forget));
    },

    listLives: async () => {
      const vici = await daemon.speak();
      if (!vici) return [];
      const lives = findLives(await vici.list('list-sas', 'list-sa'));
      const admitted = devices.listAdmitted();
      const known = lives.filter(({ credential }) => admitted.has(credential));
      if (known.length < lives.length) {
        const present = lives.map(({ credential }) => credential);
        // In turn: one that is being let in at this moment is no stranger. What fails is tried again at the next look.
        inTurn(() => devices.expelStrangers(vici, present)).catch(() => {});
      }
      return known;
    },

    isUp: async () => daemon.isUp(),
    onLost: (listener) => listeners.push(listener),

    close: async (teardown) => {
      listeners.length = 0;
      if (!teardown) {
        daemon.hangUp();
        return;
      }
      await daemon.stop();
      if (mode === 'kernel') await removeInterface(shell, interfaceName);
      files.remove();
    },
  };
}

/** Stands for all that a daemon lives by, and for how it is told: an agent that says it otherwise starts another. */
export function setupName(files: Ikev2Files, wanted: Ikev2Settings, { mode, publicKey }: Ikev2Place): string {
  const told = [gateWish(wanted, mode), deviceWishes(SPECIMEN, wanted, mode)];
  const all = JSON.stringify([files.config, told, mode, wanted, publicKey]);
  return createHash('sha256').update(all).digest('hex');
}

/** Every event is one connection's. The rows hold addresses of devices: they are read past, and never kept. */
export function findLives(events: readonly Message[]): TunnelLife[] {
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

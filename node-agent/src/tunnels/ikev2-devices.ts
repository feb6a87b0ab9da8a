import type { Ikev2Identity } from '../control/plan.ts';
import { createGracefulDisconnects } from './graceful-disconnect.ts';
import {
  deviceCommands,
  type Ikev2Settings,
  removalCommands,
  terminateCommand,
  userNameOf,
  type ViciCommand,
} from './ikev2-commands.ts';
import type { IpsecMode } from './ikev2-files.ts';
import { type Vici, ViciRefused } from './vici.ts';
import type { Message } from './vici-message.ts';

/** The devices that the daemon lets in. It keeps them only in memory, so a new daemon has to be given all of them. */
export interface Ikev2Devices {
  /** User names. */
  listAdmitted(): ReadonlySet<string>;
  /** Reads from a running daemon which devices it admits. */
  adopt(vici: Vici): Promise<void>;
  /** Gives a new daemon all known devices. */
  loadAll(vici: Vici, settings: Ikev2Settings): Promise<void>;
  /** Without a daemon: records the change for the next one. */
  record(install: readonly Ikev2Identity[], forget: readonly string[]): void;
  /** Removes and disconnects first, then lets in. A blocked device is removed. */
  change(
    vici: Vici,
    settings: Ikev2Settings,
    install: readonly Ikev2Identity[],
    forget: readonly string[],
  ): Promise<void>;
  /** Ends the connections of devices that completed their handshake while they were being removed. */
  disconnectUnknown(vici: Vici, present: readonly string[]): Promise<void>;
}

/** How many devices are sent at once. */
const BATCH = 500;

export function createIkev2Devices(mode: IpsecMode): Ikev2Devices {
  const disconnects = createGracefulDisconnects();
  let admitted = new Set<string>();
  /** Devices that this agent has given to a daemon; an adopted daemon may know more. */
  const known = new Map<string, Ikev2Identity>();

  async function admit(vici: Vici, settings: Ikev2Settings, devices: readonly Ikev2Identity[]): Promise<void> {
    for (let at = 0; at < devices.length; at += BATCH) {
      const batch = devices.slice(at, at + BATCH);
      await Promise.all(batch.flatMap((device) => deviceCommands(device, settings, mode).map(senderTo(vici))));
      for (const { userName } of batch) admitted.add(userName);
    }
  }

  function record(install: readonly Ikev2Identity[], forget: readonly string[]): void {
    for (const userName of forget) {
      known.delete(userName);
      admitted.delete(userName);
    }
    for (const device of install) known.set(device.userName, device);
  }

  function divide(install: readonly Ikev2Identity[], forget: readonly string[]) {
    const blocked = install.filter((device) => device.blocked).map(({ userName }) => userName);
    return { refused: [...forget, ...blocked], allowed: install.filter((device) => !device.blocked) };
  }

  return {
    listAdmitted: () => admitted,
    adopt: async (vici) => {
      const { keys } = await vici.request('get-shared');
      admitted = new Set(keys as readonly string[]);
    },
    loadAll: async (vici, settings) => {
      admitted = new Set();
      await admit(vici, settings, [...known.values()]);
    },
    record: (install, forget) => {
      const { refused, allowed } = divide(install, forget);
      record(allowed, refused);
    },
    change: async (vici, settings, install, forget) => {
      const { refused, allowed } = divide(install, forget);
      record(allowed, refused);
      await endAtOnce(vici, disconnects.cancel(allowed.map(({ userName }) => userName)));
      // A blocked device may come back, so it disconnects gracefully; the slot of a forgotten one is needed now.
      const forgotten = new Set(forget);
      const blocked = refused.filter((userName) => !forgotten.has(userName));
      const commands = refused.flatMap((userName) => removalCommands(userName, !forgotten.has(userName)));
      await Promise.all(commands.map(senderTo(vici)).map(ignoreRefusal));
      disconnects.start(blocked, { listPresent: () => listPresent(vici), end: (names) => endAtOnce(vici, names) });
      await admit(vici, settings, allowed);
    },
    disconnectUnknown: async (vici, present) => {
      await endAtOnce(
        vici,
        present.filter((userName) => !admitted.has(userName)),
      );
    },
  };
}

function senderTo(vici: Vici): (command: ViciCommand) => Promise<Message> {
  return ([name, values]) => vici.request(name, values);
}

async function endAtOnce(vici: Vici, userNames: readonly string[]): Promise<void> {
  const commands = userNames.map((userName) => terminateCommand(userName, false));
  await Promise.all(commands.map(senderTo(vici)).map(ignoreRefusal));
}

/** Includes devices that are disconnecting. */
async function listPresent(vici: Vici): Promise<string[]> {
  const connections = (await vici.list('list-sas', 'list-sa')).flatMap((event) => Object.keys(event));
  return connections.map(userNameOf).filter((userName) => userName !== undefined);
}

/** Removing something that does not exist is refused, and harmless. */
async function ignoreRefusal(sent: Promise<Message>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!(error instanceof ViciRefused)) throw error;
  });
}

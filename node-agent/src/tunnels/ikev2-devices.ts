import type { Ikev2Identity } from '../control/plan.ts';
import { createFarewells } from './graceful-disconnect.ts';
import { deviceWishes, dismissalWishes, type Ikev2Settings, terminationWish, userNameOf } from './ikev2-commands.ts';
import type { IpsecMode } from './ikev2-files.ts';
import { type Vici, ViciRefused } from './vici.ts';
import type { Message, Wish } from './vici-message.ts';

/** Whom the daemon lets in: it forgets everybody when it ends, and is told again when another has started. */
export interface Ikev2Devices {
  /** User names. */
  listAdmitted(): ReadonlySet<string>;
  /** A daemon that was running says whom it lets in. */
  adopt(vici: Vici): Promise<void>;
  /** A new daemon is told of all that we know. */
  tellAll(vici: Vici, settings: Ikev2Settings): Promise<void>;
  /** Without a daemon: what is to be told to the next one. */
  note(install: readonly Ikev2Identity[], forget: readonly string[]): void;
  /** Forgets and ends first, then lets in. A blocked device is forgotten. */
  change(
    vici: Vici,
    settings: Ikev2Settings,
    install: readonly Ikev2Identity[],
    forget: readonly string[],
  ): Promise<void>;
  /** Who was half through the door when it was closed is in now: out again. */
  expelStrangers(vici: Vici, present: readonly string[]): Promise<void>;
}

/** So many devices are told at once. */
const BATCH = 500;

export function createIkev2Devices(mode: IpsecMode): Ikev2Devices {
  const farewells = createFarewells();
  let admitted = new Set<string>();
  /** Those that this agent has told a daemon of; an adopted one may know of more. */
  const told = new Map<string, Ikev2Identity>();

  async function admit(vici: Vici, settings: Ikev2Settings, devices: readonly Ikev2Identity[]): Promise<void> {
    for (let at = 0; at < devices.length; at += BATCH) {
      const batch = devices.slice(at, at + BATCH);
      await Promise.all(batch.flatMap((device) => deviceWishes(device, settings, mode).map(askOf(vici))));
      for (const { userName } of batch) admitted.add(userName);
    }
  }

  function note(install: readonly Ikev2Identity[], forget: readonly string[]): void {
    for (const userName of forget) {
      told.delete(userName);
      admitted.delete(userName);
    }
    for (const device of install) told.set(device.userName, device);
  }

  function divide(install: readonly Ikev2Identity[], forget: readonly string[]) {
    const blocked = install.filter((device) => device.blocked).map(({ userName }) => userName);
    return { refused: [...forget, ...blocked], allowed: install.filter((device) => !device.blocked) };
  }

  return {
    listAdmitted: () => admitted,
    adopt: async (vici) => {
      const { keys } = await vici.ask('get-shared');
      admitted = new Set(keys as readonly string[]);
    },
    tellAll: async (vici, settings) => {
      admitted = new Set();
      await admit(vici, settings, [...told.values()]);
    },
    note: (install, forget) => {
      const { refused, allowed } = divide(install, forget);
      note(allowed, refused);
    },
    change: async (vici, settings, install, forget) => {
      const { refused, allowed } = divide(install, forget);
      note(allowed, refused);
      await endAtOnce(vici, farewells.interrupt(allowed.map(({ userName }) => userName)));
      // A blocked device may come back, so it has time to hear that it is to end; the slot of a forgotten one is needed.
      const gone = new Set(forget);
      const blocked = refused.filter((userName) => !gone.has(userName));
      const wishes = refused.flatMap((userName) => dismissalWishes(userName, !gone.has(userName)));
      await Promise.all(wishes.map(askOf(vici)).map(orNothing));
      farewells.begin(blocked, { listPresent: () => listPresent(vici), end: (names) => endAtOnce(vici, names) });
      await admit(vici, settings, allowed);
    },
    expelStrangers: async (vici, present) => {
      const strangers = present.filter((userName) => !admitted.has(userName));
      await endAtOnce(vici, strangers);
    },
  };
}

function askOf(vici: Vici): ([command, wish]: [string, Wish]) => Promise<Message> {
  return ([command, wish]) => vici.ask(command, wish);
}

async function endAtOnce(vici: Vici, userNames: readonly string[]): Promise<void> {
  const wishes = userNames.map((userName) => terminationWish(userName, false));
  await Promise.all(wishes.map(askOf(vici)).map(orNothing));
}

/** Also those that are on their way out. */
async function listPresent(vici: Vici): Promise<string[]> {
  const connections = (await vici.list('list-sas', 'list-sa')).flatMap((event) => Object.keys(event));
  return connections.map(userNameOf).filter((userName) => userName !== undefined);
}

/** What is not there need not be taken away. */
async function orNothing(asked: Promise<Message>): Promise<void> {
  await asked.catch((error: unknown) => {
    if (!(error instanceof ViciRefused)) throw error;
  });
}

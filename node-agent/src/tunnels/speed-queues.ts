import { slotOfAddress } from '../firewall/slot.ts';
import { classOf, type Direction, SPEEDS } from '../firewall/slot-policies.ts';
import type { Links } from '../platform/link.ts';
import type { Log } from '../platform/log.ts';
import { createMutex } from '../platform/mutex.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import type { Protocol, Tunnel } from './tunnel.ts';

/** How fast a config may be, in each direction. */
export interface SpeedLimit {
  readonly slot: number;
  readonly mbit: number;
  readonly protocol: Protocol;
}

interface Options {
  readonly shell: Pick<Shell, 'run'>;
  readonly links: Links;
  readonly tunnels: readonly Pick<Tunnel, 'protocol' | 'interfaceName' | 'hasInterfacePerDevice'>[];
  readonly uplinks: readonly string[];
  readonly log: Pick<Log, 'warn'>;
  elapsedMs(): number;
}

/** Mbit/s by slot. */
type Classes = ReadonlyMap<number, number>;

interface Device {
  readonly name: string;
  /** Of the kernel: an interface that was made anew has another one, and no queue of ours. */
  readonly index: string;
  readonly direction: Direction;
  readonly classes: Classes;
}

interface Queue {
  readonly index: string;
  readonly classes: Classes;
  /** An operator's own, which stays; nothing is held back there. */
  readonly isForeign: boolean;
}

const CHECK_MS = 30_000;
/** What may pass at once after a pause, so that a busy machine, which comes late to a queue, does not make it slower. */
const BURST_MS = 20;
const LEAST_BURST_BYTES = 16_000;
/** Only for classes that share what another one leaves, which ours do not; without it the kernel complains about fast ones. */
const QUANTUM_BYTES = 60_000;

/**
 * Flows of a config take turns, and a queue that does not get shorter drops, rather late: what it drops has been counted. A kernel without it
 * gets a plain queue of so many milliseconds.
 */
const FAIR_LEAF = 'fq_codel limit 2000 flows 64 target 20ms interval 200ms memory_limit 16mb';
const PLAIN_LEAF_MS = 300;
const LEAST_LEAF_BYTES = 150_000;

/**
 * Queues that hold configs to a speed (decision 136): on the device of each tunnel for what goes to devices, on the uplinks for what comes
 * from them. In each a class of HTB for every config with a limit, which the firewall chooses; all other traffic passes by it. A device
 * without limits keeps the queue that the system gave it.
 */
export class SpeedQueues {
  readonly #options: Options;
  readonly #mutex = createMutex();
  readonly #known = new Map<string, Queue>();
  /** Slots of interfaces that belong to one device each, by name and index. */
  readonly #owners = new Map<string, number>();
  #checkAt = 0;
  #isRemoved = false;
  #isFair = true;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Brings the queues to these limits, in place: nothing that waits in one is lost by another limit. Cheap when nothing is to be done. Also
   * finds what an earlier agent left, new interfaces and, now and then, queues that somebody removed. Throws when a command fails;
   * the next call tries again.
   */
  async bring(limits: readonly SpeedLimit[]): Promise<void> {
    await this.#mutex.runExclusive(async () => (this.#isRemoved ? undefined : await this.#bring(limits)));
  }

  /** Gives every device back the system's own queue, for good. */
  async remove(): Promise<void> {
    await this.#mutex.runExclusive(async () => {
      this.#isRemoved = true;
      this.#checkAt = 0;
      await this.#bring([]);
    });
  }

  async #bring(limits: readonly SpeedLimit[]): Promise<void> {
    const devices = [...(await this.#listTunnels(limits)), ...this.#listUplinks(limits)];
    const names = new Set(devices.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    const now = this.#options.elapsedMs();
    const isDue = now >= this.#checkAt;
    const wrong = devices.filter((device) => isDue || !isAsWanted(device, this.#known.get(device.name)));
    const results = await Promise.allSettled(wrong.map((device) => this.#bringDevice(device)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (isDue || this.#checkAt === Number.POSITIVE_INFINITY)
      this.#checkAt = this.#known.size > 0 ? now + CHECK_MS : Number.POSITIVE_INFINITY;
  }

  async #bringDevice(device: Device): Promise<void> {
    const { name, index, direction, classes } = device;
    const handle = `${SPEEDS[direction].handle}:`;
    const root = await this.#findRoot(name);
    const isOurs = root === handle;
    const before = this.#known.get(name);
    // Until all of it is done.
    this.#known.delete(name);
    if (classes.size === 0) {
      if (isOurs) await this.#tc('qdisc', 'del', 'dev', name, 'root');
      return;
    }
    // What the system chose has no number of its own.
    if (direction === 'up' && !isOurs && root !== undefined && root !== '0:') {
      if (!before?.isForeign)
        this.#options.log.warn('uplink_keeps_its_queue', { interface: name, meaning: 'uploads are not limited' });
      this.#known.set(name, { index, classes, isForeign: true });
      return;
    }
    if (!isOurs) await this.#tc('qdisc', 'replace', 'dev', name, 'root', 'handle', handle, 'htb', 'default', '0');
    const isSeen = before?.index === index && !before.isForeign;
    const kept = isSeen ? before.classes : await this.#listClasses(device);
    await this.#changeClasses(device, isOurs ? kept : new Map());
    this.#known.set(name, { index, classes, isForeign: false });
  }

  async #changeClasses(device: Device, present: Classes): Promise<void> {
    const { name, direction, classes } = device;
    const gone = [...present.keys()].filter((slot) => !classes.has(slot));
    const changed = [...classes].filter(([slot, mbit]) => present.get(slot) !== mbit);
    await this.#tcAll([
      ...gone.map((slot) => `class del dev ${name} classid ${classOf(direction, slot)}`),
      ...changed.map(([slot, mbit]) => classCommand(device, slot, mbit)),
    ]);
    const added = changed.filter(([slot]) => !present.has(slot));
    const leaves = (leafOf: (mbit: number) => string) =>
      added.map(([slot, mbit]) => `qdisc replace dev ${name} parent ${classOf(direction, slot)} ${leafOf(mbit)}`);
    if (this.#isFair) {
      try {
        await this.#tcAll(leaves(() => FAIR_LEAF));
        return;
      } catch (error) {
        if (!(error instanceof CommandFailed) || !error.stderr.includes('kind is unknown')) throw error;
        this.#isFair = false;
      }
    }
    await this.#tcAll(leaves(plainLeaf));
  }

  async #listTunnels(limits: readonly SpeedLimit[]): Promise<Device[]> {
    const { links, tunnels } = this.#options;
    const devices: Device[] = [];
    for (const { protocol, interfaceName, hasInterfacePerDevice } of tunnels) {
      const own = new Map(limits.filter((limit) => limit.protocol === protocol).map(({ slot, mbit }) => [slot, mbit]));
      for (const name of hasInterfacePerDevice ? links.listNumbered(interfaceName) : [interfaceName]) {
        const index = links.findIndex(name);
        if (index === undefined) continue;
        const owner = hasInterfacePerDevice && own.size > 0 ? await this.#findOwner(name, index) : undefined;
        devices.push({ name, index, direction: 'down', classes: hasInterfacePerDevice ? only(own, owner) : own });
      }
    }
    return devices;
  }

  #listUplinks(limits: readonly SpeedLimit[]): Device[] {
    const classes = new Map(limits.map(({ slot, mbit }) => [slot, mbit]));
    return this.#options.uplinks.flatMap((name) => {
      const index = this.#options.links.findIndex(name);
      return index === undefined ? [] : [{ name, index, direction: 'up' as const, classes }];
    });
  }

  /** The slot at the other end of an interface; undefined: it has no address yet. */
  async #findOwner(name: string, index: string): Promise<number | undefined> {
    const key = `${name} ${index}`;
    if (!this.#owners.has(key)) {
      const listed = await this.#options.shell.run('ip', ['-j', '-4', 'address', 'show', 'dev', name]).catch(() => '');
      const [found] = JSON.parse(listed || '[]') as { addr_info?: { local?: string; address?: string }[] }[];
      const peer = found?.addr_info?.find(({ address }) => address !== undefined)?.address;
      if (peer !== undefined) this.#owners.set(key, slotOfAddress(peer));
    }
    return this.#owners.get(key);
  }

  /** The handle of a device's queue; undefined: it has none. */
  async #findRoot(name: string): Promise<string | undefined> {
    const listed = await this.#tc('-j', 'qdisc', 'show', 'dev', name, 'root');
    return (JSON.parse(listed || '[]') as { handle?: string }[])[0]?.handle;
  }

  /** Those that an earlier agent left. Which speed they have is not read: it is set anew. */
  async #listClasses({ name, direction }: Device): Promise<Map<number, number>> {
    const listed = await this.#tc('class', 'show', 'dev', name);
    const pattern = new RegExp(`^class htb ${SPEEDS[direction].handle}:([0-9a-f]+) `, 'gm');
    return new Map([...listed.matchAll(pattern)].map(([, slot]) => [Number.parseInt(slot as string, 16), 0]));
  }

  #tc(...args: string[]): Promise<string> {
    return this.#options.shell.run('tc', args);
  }

  async #tcAll(commands: readonly string[]): Promise<void> {
    if (commands.length === 0) return;
    await this.#options.shell.run('tc', ['-force', '-batch', '-'], { input: `${commands.join('\n')}\n` });
  }
}

function isAsWanted({ index, classes }: Device, queue: Queue | undefined): boolean {
  if (classes.size === 0) return queue === undefined;
  if (queue?.index !== index || queue.classes.size !== classes.size) return false;
  return [...classes].every(([slot, mbit]) => queue.classes.get(slot) === mbit);
}

function only(classes: Classes, slot: number | undefined): Classes {
  return new Map([...classes].filter(([own]) => own === slot));
}

/** Makes the class, or changes it without touching what waits in it. */
function classCommand({ name, direction }: Device, slot: number, mbit: number): string {
  const burst = Math.max(LEAST_BURST_BYTES, bytesIn(mbit, BURST_MS));
  const rate = `rate ${mbit}mbit ceil ${mbit}mbit burst ${burst} cburst ${burst} quantum ${QUANTUM_BYTES}`;
  const { handle } = SPEEDS[direction];
  return `class replace dev ${name} parent ${handle}: classid ${classOf(direction, slot)} htb ${rate}`;
}

function plainLeaf(mbit: number): string {
  return `bfifo limit ${Math.max(LEAST_LEAF_BYTES, bytesIn(mbit, PLAIN_LEAF_MS))}`;
}

function bytesIn(mbit: number, milliseconds: number): number {
  return (mbit * 1_000_000 * milliseconds) / 8_000;
}

import type { Sample, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { createChance } from '../world/chance.ts';
import type { ControlPlane, Device } from './fleet.ts';

/** What a thief of a node's key has billed, so many seconds after the theft. */
interface Stolen {
  readonly seconds: number;
  readonly billedBytes: number;
}

/**
 * A thief with the key of the only node: it lies as fast as it can, in a pattern of its own for each seed. It claims all that its
 * leases allow of some configs or of all, at once or after a pause, and takes every lease that it is given.
 */
export async function stealNode(
  seed: number,
  control: ControlPlane & { readonly devices: readonly Device[] },
  { ticks }: { readonly ticks: number },
): Promise<{ heldBytes: number; stolen: Stolen[] }> {
  const chance = createChance(seed);
  const node = new ClaimingNode(control);
  let now = 0;
  await node.begin();
  for (let tick = 1; tick <= ticks; tick += 1) {
    now += 10_000;
    await control.advance(now);
    await node.claim(control.devices, () => 10_000_000);
  }
  const begin = now;
  const before = await node.billedBytes();
  const heldBytes = node.openBytes();
  const stolen: Stolen[] = [];
  const patience = 1 + chance.below(60_000);
  for (let round = 0; round < 60; round += 1) {
    now += chance.below(patience);
    await control.advance(now);
    const some = control.devices.filter(() => chance.below(3) !== 0);
    const share = chance.below(4) === 0 ? 2 : 1;
    await node.claim(some, (openBytes) => Math.floor(openBytes / share));
    stolen.push({ seconds: (now - begin) / 1_000, billedBytes: (await node.billedBytes()) - before });
  }
  return { heldBytes, stolen };
}

class ClaimingNode {
  readonly #control: ControlPlane & { readonly devices: readonly Device[] };
  readonly #epoch = 'ab'.repeat(16);
  readonly #counted = new Map<string, number>();
  readonly #leases = new Map<string, { version: number; limitBytes: number }>();
  #seq = 0;

  constructor(control: ControlPlane & { readonly devices: readonly Device[] }) {
    this.#control = control;
  }

  async begin(): Promise<void> {
    const desired = await this.#control.desired(0, { after: 0, epoch: this.#epoch });
    if (desired.kind === 'unchanged') return;
    for (const { id, lease } of desired.peers) if (lease) this.#leases.set(id, lease);
  }

  openBytes(): number {
    return this.#control.devices.reduce((sum, { id }) => sum + this.#open(id), 0);
  }

  async billedBytes(): Promise<number> {
    return (await this.#control.bills()).reduce((sum, { billed }) => sum + Number(billed), 0);
  }

  async claim(devices: readonly Device[], bytesOf: (openBytes: number) => number): Promise<void> {
    const samples = devices.map(({ id }): Sample => {
      const open = this.#open(id);
      const down = (this.#counted.get(id) ?? 0) + Math.min(open, bytesOf(open));
      this.#counted.set(id, down);
      return { config: id, up: 0, down, leaseVersion: this.#leases.get(id)?.version ?? 0 };
    });
    this.#take(await this.#control.report(0, this.#report(samples)));
  }

  #take({ leases }: UsageReply): void {
    for (const { config, lease } of leases) this.#leases.set(config, lease);
  }

  #open(id: string): number {
    return (this.#leases.get(id)?.limitBytes ?? 0) - (this.#counted.get(id) ?? 0);
  }

  #report(samples: Sample[]): UsageReport {
    this.#seq += 1;
    const health = { load: 0, tunnelsUp: true, unmeteredUpperBoundBytes: 0, agentVersion: 'x' };
    return { epoch: this.#epoch, seq: this.#seq, ageMs: 0, samples, tunnels: [], health };
  }
}

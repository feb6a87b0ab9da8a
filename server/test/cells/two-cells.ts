import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { canonicalAddress } from '../../src/modules/accounts/canonical-address.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { isDatabaseUnavailable } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/random.ts';
import { adjust, makeUser } from '../money/bench.ts';
import { openTestWorld } from '../world.ts';
import { type AnswerMessage, type Cell, type CellName, openCell, type TransferMessage } from './cell.ts';
import { type Observer, openObserver } from './observe.ts';

/** Two cells, each on a database of its own that the product's migrations made, the front that knows whose cell is where, and users. */
export interface TwoCells {
  readonly cells: Readonly<Record<CellName, Cell>>;
  readonly front: Front;
  readonly observer: Observer;
  /** A user with `START_TOMAN` in the wallet. */
  user(cell: CellName): Promise<CellUser>;
  /** An account that takes money again, or none for now. */
  setOpen(user: CellUser, isOpen: boolean): Promise<void>;
  newId(): string;
  /** The whole proof of each cell, in both forms of its queries. */
  prove(): Promise<void>;
  close(): Promise<void>;
}

export interface CellUser {
  readonly id: string;
  readonly email: string;
  readonly cell: CellName;
}

export const START_TOMAN = 1_000_000;
export const cellNames = ['north', 'south'] as const satisfies readonly CellName[];

/** Knows addresses only by a keyed hash of the form in which one mailbox has one spelling. */
export class Front {
  readonly #cells = new Map<string, CellName>();

  register(email: string, cell: CellName): void {
    this.#cells.set(hashOf(email), cell);
  }

  cellOf(email: string): CellName | undefined {
    return this.#cells.get(hashOf(email));
  }
}

function hashOf(email: string): string {
  return createHmac('sha256', 'a key that only the front has').update(canonicalAddress(email)).digest('hex');
}

export async function openTwoCells(): Promise<TwoCells> {
  const clock = manualClock(new Date());
  const open = async (name: CellName) => {
    const world = await openTestWorld({ clock, restores: false });
    const { rows } = await sql<{ name: string }>`SELECT current_database() AS name`.execute(world.deps.db);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${rows[0]?.name}`;
    return { cell: await openCell(name, world), url: url.href };
  };
  const [north, south] = await Promise.all([open('north'), open('south')]);
  const cells = { north: north.cell, south: south.cell };
  const observer = await openObserver(cells, { north: north.url, south: south.url });
  const front = new Front();
  let made = 0;
  return {
    cells,
    front,
    observer,
    async user(cell) {
      made += 1;
      const { world } = cells[cell];
      const user = await makeUser(world, `cell-user${made}@${cell}.example`);
      await adjust(world, user.id, START_TOMAN);
      front.register(user.email, cell);
      return { ...user, cell };
    },
    async setOpen({ id, cell }, isOpen) {
      const status = isOpen ? 'active' : 'suspended';
      await sql`UPDATE users SET status = ${status} WHERE id = ${id}`.execute(cells[cell].world.deps.db);
    },
    newId: () => newId(clock.now()),
    async prove() {
      for (const name of cellNames) await cells[name].world.proveLedger();
    },
    async close() {
      await observer.close();
      for (const name of cellNames) await cells[name].world.close();
    },
  };
}

/** Hands a message to the cell that it is for. What comes of it is the answer to a transfer; an answer has none. */
export async function deliver(
  { cells }: Pick<TwoCells, 'cells'>,
  message: TransferMessage | AnswerMessage,
): Promise<AnswerMessage | undefined> {
  if (message.kind === 'transfer') return await cells[message.to].receive(message);
  await cells[message.to].settle(message);
  return undefined;
}

/** Whether a call failed because its connection broke: it may have taken effect or not. */
export function isLost(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof Error && error.message === 'The answer to COMMIT is lost.');
}

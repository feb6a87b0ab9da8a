import { CommandFailed } from '../platform/shell.ts';
import { BLOCK_SLOTS } from './table-script.ts';

/** Which blocks of slots the table has. Missing ones are created without holding up changes to the others. */
export class SlotBlocks {
  readonly #create: (block: number) => Promise<void>;
  #present: Set<number> = new Set();
  readonly #pending = new Map<number, Promise<void>>();

  constructor(create: (block: number) => Promise<void>) {
    this.#create = create;
  }

  /** The table has exactly these blocks now. */
  reset(blocks: Iterable<number>): void {
    this.#present = new Set(blocks);
  }

  async prepare(blocks: readonly number[]): Promise<void> {
    const missing = [...new Set(blocks)].filter((block) => !this.#present.has(block));
    for (const block of missing) {
      if (this.#pending.has(block)) continue;
      const created = this.#createOnce(block).finally(() => this.#pending.delete(block));
      this.#pending.set(block, created);
    }
    await Promise.all(missing.map((block) => this.#pending.get(block)));
  }

  async #createOnce(block: number): Promise<void> {
    try {
      await this.#create(block);
    } catch (error) {
      // A table that was built meanwhile contains it already.
      if (!(error instanceof CommandFailed) || !error.stderr.includes('File exists')) throw error;
    }
    this.#present.add(block);
  }
}

export function blockOf(slot: number): number {
  return Math.floor(slot / BLOCK_SLOTS);
}

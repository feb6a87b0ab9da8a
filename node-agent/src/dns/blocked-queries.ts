/** What the block list kept from each config between one look at the kernel's counts and the next. */
export interface WithheldCount {
  /**
   * `totals`: per slot, since the table was made; `holders`: whom each slot serves; `builds`: how many tables this agent
   * has made. The first look tells nothing: what an agent before this one has told is not known. Nor does a slot that
   * has changed hands since the last look: whose questions those were is not known either.
   */
  look(
    totals: ReadonlyMap<number, number>,
    holders: ReadonlyMap<number, string>,
    builds: number,
  ): ReadonlyMap<string, number>;
}

interface Look {
  readonly totals: ReadonlyMap<number, number>;
  readonly holders: ReadonlyMap<number, string>;
  readonly builds: number;
}

export function createWithheldCount(): WithheldCount {
  let last: Look | undefined;
  return {
    look: (totals, holders, builds) => {
      const counts = new Map<string, number>();
      for (const [slot, total] of last ? totals : []) {
        // A table that was made anew counts from zero.
        const before = last?.builds === builds ? (last.totals.get(slot) ?? 0) : 0;
        const config = holders.get(slot);
        if (config === undefined || last?.holders.get(slot) !== config) continue;
        if (total > before) counts.set(config, total - before);
      }
      last = { totals, holders: new Map(holders), builds };
      return counts;
    },
  };
}

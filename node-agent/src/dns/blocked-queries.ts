/** Turns the kernel's totals of blocked DNS queries into each config's increase since the last call. */
export interface BlockedQueryCounter {
  /**
   * `totals`: per slot, since the table was built; `holders`: which config each slot serves; `builds`: how many tables this
   * agent has built. The first call returns nothing, because it is not known what an earlier agent has reported. Nor is
   * anything counted for a slot that changed hands since the last call.
   */
  update(
    totals: ReadonlyMap<number, number>,
    holders: ReadonlyMap<number, string>,
    builds: number,
  ): ReadonlyMap<string, number>;
}

interface Snapshot {
  readonly totals: ReadonlyMap<number, number>;
  readonly holders: ReadonlyMap<number, string>;
  readonly builds: number;
}

export function createBlockedQueryCounter(): BlockedQueryCounter {
  let last: Snapshot | undefined;
  return {
    update: (totals, holders, builds) => {
      const counts = new Map<string, number>();
      for (const [slot, total] of last ? totals : []) {
        // A rebuilt table counts from zero.
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

import {
  decodeConfig,
  decodeCounters,
  encodeConfig,
  encodeCounters,
  type StoredConfig,
  type StoredCounters,
  type UsageState,
} from './usage-state.ts';

/** What differs between two states, as one line of JSON. Parts that are the same object have not changed: states are immutable. */
type UsageChange = Partial<Omit<UsageState, 'configs' | 'freed'>> & {
  readonly configs?: readonly [string, StoredConfig][];
  readonly gone?: readonly string[];
  readonly freed?: readonly [number, StoredCounters][];
  readonly taken?: readonly number[];
};

const PLAIN = ['epoch', 'bootId', 'seq', 'pending', 'closing', 'unmeteredBytes'] as const;

export function encodeChange(before: UsageState, after: UsageState): string {
  const plain = PLAIN.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]);
  const configs = changedOf(before.configs, after.configs);
  const freed = changedOf(before.freed, after.freed);
  const change: UsageChange = {
    ...Object.fromEntries(plain),
    ...(configs.length > 0 ? { configs: configs.map(([id, config]) => [id, encodeConfig(config)]) } : {}),
    ...listed('gone', missingOf(before.configs, after.configs)),
    ...(freed.length > 0 ? { freed: freed.map(([slot, counters]) => [slot, encodeCounters(counters)]) } : {}),
    ...listed('taken', missingOf(before.freed, after.freed)),
  };
  return JSON.stringify(change);
}

/** The state after these lines, as far as they are whole. */
export function applyChanges(before: UsageState, lines: readonly string[]): UsageState {
  const [configs, freed] = [new Map(before.configs), new Map(before.freed)];
  let plain: Partial<UsageState> = {};
  for (const line of lines) {
    const change = readChange(line);
    if (!change) break;
    const { configs: changed = [], gone = [], freed: emptied = [], taken = [], ...others } = change;
    plain = { ...plain, ...others };
    for (const id of gone) configs.delete(id);
    for (const [id, config] of changed) configs.set(id, decodeConfig(config));
    for (const slot of taken) freed.delete(slot);
    for (const [slot, counters] of emptied) freed.set(slot, decodeCounters(counters));
  }
  return { ...before, ...plain, configs, freed };
}

function readChange(line: string): UsageChange | undefined {
  try {
    return JSON.parse(line) as UsageChange;
  } catch {
    return undefined;
  }
}

function changedOf<K, V>(before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>): [K, V][] {
  return before === after ? [] : [...after].filter(([key, value]) => before.get(key) !== value);
}

function missingOf<K>(before: ReadonlyMap<K, unknown>, after: ReadonlyMap<K, unknown>): K[] {
  return before === after ? [] : [...before.keys()].filter((key) => !after.has(key));
}

function listed<K extends string, V>(key: K, values: readonly V[]): { readonly [k in K]?: readonly V[] } {
  return values.length > 0 ? ({ [key]: values } as { readonly [k in K]: readonly V[] }) : {};
}

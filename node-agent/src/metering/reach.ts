import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings, ReachCount, ReachNetworks, RelayReachCount } from '@raha/contract/node/protocol.ts';
import {
  type Entry,
  parseReachSet,
  type ReachElement,
  reachScript,
  removeReachCommands,
} from '../firewall/reach-table.ts';
import { isAbsent } from '../firewall/table-reading.ts';
import type { Shell } from '../platform/shell.ts';

/** How devices of operators' networks get through (decision 106). It serves nobody: when it fails, nothing else does. */
export interface Reach {
  /**
   * Counts, and follows the settings: a new list of networks or other ports make a new table. `morePorts`: those that are accepted.
   */
  update(settings: NodeSettings, morePorts: readonly number[]): Promise<void>;
  /** False when the next `update` will make another table. */
  isCurrent(settings: NodeSettings, morePorts: readonly number[]): boolean;
  /** What has been counted per network or relay and way, in multiples of `limits.reach.step`, once; the rest stays for later. */
  take(): { readonly reach: ReachCount[]; readonly relayReach: RelayReachCount[] };
  remove(): Promise<void>;
}

interface ReachDeps {
  readonly shell: Pick<Shell, 'run'>;
  /** Of its own, so that the table that meters is never touched. */
  readonly table: string;
  readonly uplinks: readonly string[];
  getNetworks(): Promise<ReachNetworks>;
}

export function createReach({ shell, table, uplinks, getNetworks }: ReachDeps): Reach {
  let list: ReachNetworks | undefined;
  let built: Built | undefined;
  let totals = createTotals();
  let waiting: Counted[] = [];

  const nft = (commands: string) => shell.run('nft', ['-f', '-'], { input: commands });

  async function readTotals(): Promise<void> {
    if (!built) return;
    const [attempts, through] = await Promise.all(['attempts', 'through'].map((set) => listSet(shell, table, set)));
    // Somebody has removed it: the next call builds it anew.
    if (attempts === undefined || through === undefined) built = undefined;
    else totals.take(toWays(attempts, built), toWays(through, built));
  }

  async function build(wanted: string, { entries, relays }: Pick<Built, 'entries' | 'relays'>): Promise<void> {
    if (list?.list !== wanted) list = await getNetworks();
    const { networks } = list;
    await nft(reachScript({ table, uplinks, networks, entries, relays }));
    totals = createTotals();
    built = { list: wanted, entries, relays, networks: networks.map(({ network }) => network) };
  }

  const isCurrent = (settings: NodeSettings, morePorts: readonly number[]) => {
    if (!settings.reach) return !built;
    const isSame = (own: unknown, wanted: unknown) => JSON.stringify(own) === JSON.stringify(wanted);
    return (
      built?.list === settings.reach.list &&
      isSame(built.entries, entriesOf(settings, morePorts)) &&
      isSame(built.relays, relaysOf(settings))
    );
  };

  return {
    isCurrent,
    update: async (settings, morePorts) => {
      await readTotals();
      waiting = [...waiting, ...totals.takeCounts()].slice(0, limits.reach.maxCounts);
      if (isCurrent(settings, morePorts)) return;
      if (settings.reach) {
        const { list: wanted } = settings.reach;
        return await build(wanted, { entries: entriesOf(settings, morePorts), relays: relaysOf(settings) });
      }
      built = undefined;
      await nft(removeReachCommands(table).join('\n'));
    },
    take: () => {
      const taken = waiting;
      waiting = [];
      return {
        reach: taken.flatMap((count) => ('network' in count ? [count] : [])),
        relayReach: taken.flatMap((count) => ('relay' in count ? [count] : [])),
      };
    },
    remove: async () => {
      await nft(removeReachCommands(table).join('\n'));
    },
  };
}

/** The ports at which devices are accepted. */
export function entriesOf({ wireguard, openvpn, ikev2 }: NodeSettings, morePorts: readonly number[]): Entry[] {
  return [
    { transport: 'wireguard', port: wireguard.listenPort },
    ...morePorts.map((port) => ({ transport: 'wireguard' as const, port })),
    ...(openvpn ? [{ transport: 'openvpn' as const, port: openvpn.port }] : []),
    ...(openvpn?.tcp ? [{ transport: 'openvpn_tcp' as const, port: openvpn.tcp.port }] : []),
    ...(ikev2 ? [500, 4500].map((port) => ({ transport: 'ikev2' as const, port })) : []),
  ];
}

function relaysOf({ relays }: NodeSettings): Built['relays'] {
  return (relays?.relays ?? []).map(({ id, address4, address6 }) => ({
    id,
    addresses: [address4, address6].flatMap((address) => address ?? []),
  }));
}

/** What the table in the kernel was made of. */
interface Built {
  readonly list: string;
  readonly entries: readonly Entry[];
  readonly networks: readonly number[];
  readonly relays: readonly { readonly id: string; readonly addresses: readonly string[] }[];
}

type Counted = ReachCount | RelayReachCount;
type Way = Pick<ReachCount, 'network' | 'transport' | 'port'> | Pick<RelayReachCount, 'relay' | 'transport'>;

function toWays(elements: readonly ReachElement[], built: Built): Map<string, number> {
  const ways = new Map<string, number>();
  for (const { source, isTcp, port, packets } of elements) {
    const entry = built.entries.find((each) => each.port === port && (each.transport === 'openvpn_tcp') === isTcp);
    const way = entry && wayOf(source, entry, built);
    if (!way) continue;
    const key = JSON.stringify(way);
    ways.set(key, (ways.get(key) ?? 0) + packets);
  }
  return ways;
}

function wayOf(source: number, { transport, port }: Entry, { entries, networks, relays }: Built): Way | undefined {
  const network = networks[source];
  if (network === undefined) {
    const relay = relays[source - networks.length];
    return relay && { relay: relay.id, transport };
  }
  const isOther = transport === 'wireguard' && port !== entries[0]?.port;
  return { network, transport, ...(isOther ? { port } : {}) };
}

/** Totals of one table, and what of them has been taken. */
function createTotals() {
  const counted = { attempts: new Map<string, number>(), through: new Map<string, number>() };
  const taken = { attempts: new Map<string, number>(), through: new Map<string, number>() };
  const rounded = (count: number) => count - (count % limits.reach.step);
  const step = (kind: 'attempts' | 'through', way: string) => {
    const total = rounded(counted[kind].get(way) ?? 0);
    const difference = Math.min(total - (taken[kind].get(way) ?? 0), limits.reach.maxPerReport);
    taken[kind].set(way, (taken[kind].get(way) ?? 0) + difference);
    return difference;
  };
  return {
    take: (attempts: Map<string, number>, through: Map<string, number>) => {
      Object.assign(counted, { attempts, through });
    },
    takeCounts: (): Counted[] => {
      const ways = [...new Set([...counted.attempts.keys(), ...counted.through.keys()])].slice(
        0,
        limits.reach.maxCounts,
      );
      return ways
        .map((way) => ({ ...(JSON.parse(way) as Way), attempts: step('attempts', way), through: step('through', way) }))
        .filter(({ attempts, through }) => attempts + through > 0);
    },
  };
}

async function listSet(shell: Pick<Shell, 'run'>, table: string, set: string): Promise<ReachElement[] | undefined> {
  try {
    return parseReachSet(await shell.run('nft', ['-j', 'list', 'set', 'inet', table, set]));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

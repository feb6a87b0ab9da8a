import { limits } from '@raha/contract/limits.ts';
import type { Server } from '@raha/contract/public/configs.ts';
import { degreesFromIran } from '../../../site-scripts/score-locations.ts';
import { type Location, locations } from '../../landing/locations.ts';
import type { Priority, Usage } from './assistant-state.ts';

export interface RankedServer {
  readonly server: Server;
  /** Where it is on the map, if the city is one that the map knows. */
  readonly location: Location | undefined;
  readonly score: number;
}

/**
 * The scoring of specification 2, section 9, over real servers: the measured round trip instead of the sample (45 ms where
 * nothing is measured yet), and free capacity in the location of the premium bonus, doubled for what moves much. A city that is
 * on no map scores no distance.
 */
export function rankServers(servers: readonly Server[], priority: Priority, usage: Usage): RankedServer[] {
  return servers
    .map((server) => ({ server, location: locationOf(server), score: scoreOf(server, priority, usage) }))
    .sort((a, b) => b.score - a.score);
}

const FREE_BONUS = 0.2;
const HEAVY: readonly Usage[] = ['streaming', 'torrenting'];

function scoreOf(server: Server, priority: Priority, usage: Usage): number {
  const location = locationOf(server);
  const ping = Math.max(0, 100 - (server.ping ?? limits.connection.pingDefaultMs)) / 100;
  const distance = location ? Math.max(0, 1 - degreesFromIran(location) / 100) : 0;
  const free = 1 - Math.min(1, Math.max(0, server.performance.currentLoad));
  const bonus = free * FREE_BONUS * (HEAVY.includes(usage) ? 2 : 1);
  if (priority === 'speed') return 0.6 * ping + 0.3 * distance + bonus;
  // Every server encrypts alike: what differs is how it does.
  if (priority === 'security') return 0.4 + 0.2 * ping + bonus;
  return 0.7 * distance + 0.2 * ping + bonus;
}

/** By the city's name in either language; else any known city of the country stands for it. */
export function locationOf({ location }: Pick<Server, 'location'>): Location | undefined {
  const city = location.city.trim().toLowerCase();
  const there = locations.filter(({ country }) => country === location.country);
  return there.find((known) => known.city.en.toLowerCase() === city || known.city.fa === location.city) ?? there[0];
}

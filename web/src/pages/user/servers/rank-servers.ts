import { limits } from '@raha/contract/limits.ts';
import type { Server } from '@raha/contract/public/configs.ts';
import {
  distanceShare,
  type Part,
  type Priority,
  pingShare,
  reasonsOf,
  scoreOf,
  type Usage,
  weigh,
} from '../../../site-scripts/score-locations.ts';
import { type Location, locations } from '../../landing/locations.ts';

export interface RankedServer {
  readonly server: Server;
  /** Where it is on the map, if the city is one that the map knows. */
  readonly location: Location | undefined;
  readonly score: number;
  /** What speaks for it most, of what was really measured. */
  readonly reasons: readonly Part[];
}

/**
 * The scoring of specification 2, section 9, over real servers: the measured round trip instead of the sample (45 ms where
 * nothing is measured yet), and free capacity in the location of the premium bonus. A city that is on no map scores no distance.
 */
export function rankServers(servers: readonly Server[], priority: Priority, usage: Usage): RankedServer[] {
  return servers.map((server) => rank(server, priority, usage)).sort((a, b) => b.score - a.score);
}

function rank(server: Server, priority: Priority, usage: Usage): RankedServer {
  const location = locationOf(server);
  const figures = {
    ping: pingShare(server.ping ?? limits.connection.pingDefaultMs),
    distance: location ? distanceShare(location) : 0,
    room: freeShare(server),
  };
  // Every server encrypts alike: security adds the same to each.
  const parts = weigh(figures, priority, usage);
  const reasons = reasonsOf(server.ping === null ? { ...parts, ping: 0 } : parts);
  return { server, location, score: scoreOf(parts, priority), reasons };
}

export function freeShare({ performance }: Pick<Server, 'performance'>): number {
  return 1 - Math.min(1, Math.max(0, performance.currentLoad));
}

/** By the city's name in either language; else any known city of the country stands for it. */
export function locationOf({ location }: Pick<Server, 'location'>): Location | undefined {
  const city = location.city.trim().toLowerCase();
  const there = locations.filter(({ country }) => country === location.country);
  return there.find((known) => known.city.en.toLowerCase() === city || known.city.fa === location.city) ?? there[0];
}

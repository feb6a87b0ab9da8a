import type { Server } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { locationOf, rankServers } from './rank-servers.ts';

const server = (name: string, country: string, city: string, ping: number | null, currentLoad: number): Server => ({
  id: name,
  name,
  isOnline: true,
  status: 'active',
  location: { country, city },
  protocols: ['wireguard'],
  ping,
  recommendationScore: 0,
  performance: { currentLoad },
});
const names = (ranked: ReturnType<typeof rankServers>) => ranked.map((each) => each.server.name);

test('speed follows the measured round trip, distance the map, and load tells equals apart', () => {
  const near = server('near', 'AE', 'Dubai', 90, 0.2);
  const fast = server('fast', 'NL', 'Amsterdam', 20, 0.2);
  expect(names(rankServers([near, fast], 'speed', 'browsing'))).toEqual(['fast', 'near']);
  expect(names(rankServers([fast, near], 'distance', 'browsing'))).toEqual(['near', 'fast']);
  const full = server('full', 'DE', 'Frankfurt', 30, 0.95);
  const idle = server('idle', 'DE', 'Frankfurt', 30, 0.05);
  for (const priority of ['speed', 'security', 'distance'] as const)
    expect(names(rankServers([full, idle], priority, 'gaming'))).toEqual(['idle', 'full']);
});

test('what moves much weighs free capacity more', () => {
  const quick = server('quick', 'DE', 'Frankfurt', 10, 0.9);
  const free = server('free', 'DE', 'Frankfurt', 45, 0.1);
  expect(names(rankServers([quick, free], 'speed', 'gaming'))).toEqual(['quick', 'free']);
  expect(names(rankServers([quick, free], 'speed', 'torrenting'))).toEqual(['free', 'quick']);
});

test('a game is no browsing: its quick replies weigh more than room', () => {
  const quick = server('quick', 'DE', 'Frankfurt', 30, 0.99);
  const roomy = server('roomy', 'DE', 'Frankfurt', 52, 0.2);
  expect(names(rankServers([quick, roomy], 'speed', 'browsing'))).toEqual(['roomy', 'quick']);
  expect(names(rankServers([quick, roomy], 'speed', 'gaming'))).toEqual(['quick', 'roomy']);
});

test('a server that has measured nothing counts as 45 ms', () => {
  const unknown = server('unknown', 'DE', 'Frankfurt', null, 0.5);
  const usual = server('usual', 'DE', 'Frankfurt', 45, 0.5);
  const [a, b] = rankServers([unknown, usual], 'speed', 'gaming');
  expect(a?.score).toBe(b?.score);
  // What was not measured is no reason.
  expect([a?.reasons, b?.reasons]).toEqual([
    ['distance', 'room'],
    ['ping', 'distance'],
  ]);
});

test('a city is found in either language, a country stands for its unknown cities, and nowhere is nowhere', () => {
  expect(locationOf(server('a', 'DE', 'frankfurt', null, 0))?.key).toBe('frankfurt');
  expect(locationOf(server('b', 'US', 'شیکاگو', null, 0))?.key).toBe('chicago');
  expect(locationOf(server('c', 'NL', 'Rotterdam', null, 0))?.key).toBe('amsterdam');
  expect(locationOf(server('d', 'IS', 'Reykjavik', null, 0))).toBeUndefined();
});

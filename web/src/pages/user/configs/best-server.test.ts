import type { Server } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { offeredServers } from './best-server.ts';

function server(name: string, score: number, load: number, more: Partial<Server> = {}): Server {
  return {
    id: name,
    name,
    isOnline: true,
    status: 'active',
    location: { country: 'DE', city: 'Frankfurt' },
    protocols: ['wireguard'],
    ping: null,
    recommendationScore: score,
    performance: { currentLoad: load },
    ...more,
  };
}

test('offline and inactive servers are not offered; score decides, then load', () => {
  const names = offeredServers([
    server('offline', 9, 0, { isOnline: false }),
    server('inactive', 9, 0, { status: 'inactive' }),
    server('busy', 5, 80),
    server('calm', 5, 20),
    server('best', 7, 90),
  ]).map(({ name }) => name);
  expect(names).toEqual(['best', 'calm', 'busy']);
});

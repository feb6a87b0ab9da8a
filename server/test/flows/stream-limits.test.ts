import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

async function open(token: string): Promise<Response> {
  return await fetch(`${world.origin}${API_BASE}/realtime`, { headers: { authorization: `Bearer ${token}` } });
}

test('S10 one session opens ten event streams, not thousands', async () => {
  const { token } = await world.user({ usdCents: 0 });
  const opened = await Promise.all(Array.from({ length: 10 }, () => open(token)));
  expect(opened.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const refused = await open(token);
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'too_many_requests' }]);
  const other = await world.user({ usdCents: 0 });
  const elsewhere = await open(other.token);
  expect(elsewhere.status).toBe(200);
  for (const { body } of [...opened, elsewhere]) await body?.cancel();
});

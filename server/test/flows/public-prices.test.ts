import { sampleClaims } from '@raha/contract/site-claims.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { siteValuesOf } from '../../src/app/site.ts';
import { openTestWorld, TEST_RATE, type TestWorld } from '../world.ts';

/** What the public pages state, as the operator, the installation and the rate of this moment have it. */
let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

/** As on an installation of that kind. */
async function valuesOf(installation: 'production' | 'workshop') {
  const config = { ...world.deps.config, simulatorsAllowed: installation !== 'production' };
  return await (await siteValuesOf({ ...world.deps, config }))();
}

async function addNode(country: string, status: string): Promise<void> {
  await sql`
    INSERT INTO node (id, name, country, city, wireguard_port, openvpn_port, address_limit, status, created_at)
    VALUES (gen_random_uuid(), gen_random_uuid()::text, ${country}, 'City', 51820, 1194, 10, ${status}, now())
  `.execute(world.deps.db);
}

test('outside production the figures of the specification stand, each marked as a sample', async () => {
  const { claims, demonstrations } = await valuesOf('workshop');
  expect(demonstrations).toBe(true);
  for (const [name, value] of Object.entries(sampleClaims)) {
    expect(claims[name as keyof typeof sampleClaims]).toEqual({ value, isSample: true });
  }
});

test('in production nothing stands that nobody states and the installation does not know', async () => {
  const { claims, demonstrations } = await valuesOf('production');
  expect(demonstrations).toBe(false);
  const { devices, ...others } = claims;
  expect(devices).toEqual({ value: 20, isSample: false });
  for (const claim of Object.values(others)) expect(claim).toEqual({ value: null, isSample: false });
});

test('in production servers and countries are those that people can use', async () => {
  for (const [country, status] of [
    ['DE', 'active'],
    ['DE', 'active'],
    ['FI', 'active'],
    ['NL', 'revoked'],
  ] as const)
    await addNode(country, status);
  const { claims } = await valuesOf('production');
  expect([claims.servers.value, claims.countries.value]).toEqual([3, 2]);
});

test('what the operator states stands everywhere, without a mark', async () => {
  await setSettingByKey(world.deps.db, 'claims.rating', '4.2', world.deps.clock.now());
  await setSettingByKey(world.deps.db, 'claims.servers', '12', world.deps.clock.now());
  for (const installation of ['production', 'workshop'] as const) {
    const { claims } = await valuesOf(installation);
    expect([claims.rating, claims.servers]).toEqual([
      { value: 4.2, isSample: false },
      { value: 12, isSample: false },
    ]);
  }
  await setSettingByKey(world.deps.db, 'claims.rating', 'auto', world.deps.clock.now());
  expect((await valuesOf('production')).claims.rating.value).toBeNull();
  await expect(setSettingByKey(world.deps.db, 'claims.rating', 'best', world.deps.clock.now())).rejects.toThrow();
});

test('anybody reads the price of a gigabyte in toman, and the plans that are sold', async () => {
  const { data } = await world.client().getPrices();
  expect(data).toMatchObject({ usdCentsPerGb: 3, tomanPerGb: (TEST_RATE * 3) / 100, rateSource: 'operator' });
  expect(data.plans.map(({ id }) => id)).toEqual(['basic', 'premium', 'business']);
});

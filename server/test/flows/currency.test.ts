import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFeed, feedNames } from '../../src/adapters/exchange-rates/feeds.ts';
import { rateSimulator, type SimulatedMarket, simulatedMarket } from '../../src/adapters/exchange-rates/simulator.ts';
import { clearOperatorRate } from '../../src/modules/currency/clear-operator-rate.ts';
import { type ExchangeRateSource, storedRate } from '../../src/modules/currency/exchange-rate.ts';
import { refreshRate } from '../../src/modules/currency/refresh-exchange-rate.ts';
import { setOperatorRate } from '../../src/modules/currency/set-operator-rate.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** The exchange rate from four sources in their real formats, with their faults. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const market: SimulatedMarket = simulatedMarket(100_000);
let simulator: FastifyInstance;
let world: TestWorld;
let exchangeRate: ExchangeRateSource;

beforeAll(async () => {
  simulator = fastify({ forceCloseConnections: true });
  await simulator.register(rateSimulator, { market, clock });
  const baseUrl = await simulator.listen({ host: '127.0.0.1', port: 0 });
  const exchangeRateFeeds = feedNames.map((name) => createFeed(name, { baseUrl, timeoutMs: 500 }));
  exchangeRate = storedRate({ clock, fixed: undefined, standIn: undefined });
  world = await openTestWorld({ clock, overrides: { exchangeRateFeeds, exchangeRate } });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
  await simulator.close();
});

async function read(minutesLater = 1) {
  clock.advance(minutesLater * 60_000);
  await refreshRate(world.deps);
  return await world.client().getRateCacheInfo();
}

async function quiet(faults: SimulatedMarket['faults']) {
  for (const name of feedNames) market.faults[name] = 'none';
  Object.assign(market.faults, faults);
}

describe('the exchange rate', () => {
  test('is missing until the market was read; redeeming and converting wait for it', async () => {
    const api = world.client();
    expect(await api.getUsdRate()).toMatchObject({ rate: null, timestamp: null, source: null });
    const user = await world.user({ usdCents: 0 });
    const gift_card_code = await world.giftCard();
    for (const call of [
      () => user.api.processGiftCard({ body: { gift_card_code } }),
      () => user.api.verifyGiftCard({ body: { gift_card_code } }),
      () => api.convertCurrency({ body: { amount: 5 } }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'rate_unavailable', status: 503 });
    }
    // Nothing becomes free when the rate is missing: the wallet shows the price at an old default rate, marked as not
    // current.
    expect((await user.api.getWallet()).data).toMatchObject({ price_per_gb: 2_467.5, price_is_current: false });
    expect(await api.refreshUsdRate()).toMatchObject({ rate: 100_000, source: 'market' });
    expect((await user.api.getWallet()).data).toMatchObject({ price_per_gb: 3_000, price_is_current: true });
    expect(await user.api.processGiftCard({ body: { gift_card_code } })).toMatchObject({
      data: { amount: 500_000, rate: 100_000, activated: true },
    });
    expect(await api.convertCurrency({ body: { amount: 2.5 } })).toMatchObject({ converted: 250_000, rate: 100_000 });
  });

  test('all four agree, whether they quote rial or toman', async () => {
    const info = await read();
    expect(info.sources).toEqual(feedNames.map((name) => ({ name, rate: 100_000, outcome: 'used' })));
    expect(info).toMatchObject({ rate: 100_000, age: 0, last_read: clock.now().toISOString() });
  });

  test('is fetched once a minute, however many calls need it', async () => {
    clock.advance(60_000);
    const before = { ...market.asked };
    await Promise.all(Array.from({ length: 20 }, () => world.client().refreshUsdRate()));
    clock.advance(59_000);
    await world.client().refreshUsdRate();
    for (const name of feedNames) expect(market.asked[name] - before[name]).toBe(1);
  });

  test.each([
    ['times-ten', 'outlier'],
    ['too-many', 'failed'],
    ['html', 'failed'],
    ['empty', 'failed'],
    ['silent', 'failed'],
  ] as const)('one source with the fault %s is left out', async (fault, outcome) => {
    for (const name of feedNames) {
      await quiet({ [name]: fault });
      const info = await read();
      expect(info.rate).toBe(100_000);
      expect(info.sources.find((source) => source.name === name)?.outcome).toBe(outcome);
    }
    await quiet({});
  });

  test('a source that states the time of its quote is left out when that is too old', async () => {
    await quiet({ nobitex: 'stale', tgju: 'stale' });
    const info = await read();
    expect(info.sources.map((source) => source.outcome)).toEqual(['stale', 'used', 'used', 'stale']);
    // Two are not enough for a reading; the last good one serves for a quarter of an hour, then there is none.
    expect(info.rate).toBe(100_000);
    expect((await read(13)).rate).toBe(100_000);
    expect((await read(3)).rate).toBeNull();
    await quiet({});
    expect((await read()).rate).toBe(100_000);
  });

  test('a jump is accepted once it has lasted; a short one never is', async () => {
    market.tomanPerUsd = 130_000;
    for (let minute = 0; minute < 5; minute += 1) expect((await read()).rate).toBe(100_000);
    expect((await read()).rate).toBe(130_000);
    market.tomanPerUsd = 200_000;
    expect((await read()).rate).toBe(130_000);
    market.tomanPerUsd = 130_000;
    expect((await read()).rate).toBe(130_000);
  });

  test("the operator's own rate comes first, until it is cleared or has expired", async () => {
    const api = world.client();
    await setOperatorRate(world.deps, { actor, tomanPerUsd: 90_000, isForced: true, hours: 2 });
    exchangeRate.forget?.();
    expect(await api.getUsdRate()).toMatchObject({ rate: 90_000, source: 'operator' });
    clock.advance(2 * 3_600_000);
    await read();
    expect(await api.getUsdRate()).toMatchObject({ rate: 130_000, source: 'market' });
    await setOperatorRate(world.deps, { actor, tomanPerUsd: 91_000, isForced: true });
    clock.advance(30 * 86_400_000);
    expect(await api.getUsdRate()).toMatchObject({ rate: 91_000 });
    expect(await clearOperatorRate(world.deps, { actor })).toBe(true);
    expect(await clearOperatorRate(world.deps, { actor })).toBe(false);
    exchangeRate.forget?.();
    expect(await api.getUsdRate()).toMatchObject({ rate: null });
    await read();
  });

  test('is found under both names of its calls', async () => {
    for (const path of ['/api/v1/currency', '/api/currency']) {
      for (const call of ['usd-rate', 'refresh-usd-rate', 'cache-info']) {
        const answer = (await (await fetch(`${world.origin}${path}/${call}`)).json()) as Record<string, unknown>;
        expect(answer).toMatchObject({ success: true, rate: 130_000 });
      }
    }
  });

  test.each([-1, 1_000_001, '5', null, undefined])('converting %j is refused', async (amount) => {
    const response = await fetch(`${world.origin}/api/currency/convert`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
    expect(response.status).toBe(422);
  });
});

test('the price in a lease never changes for a user: bytes granted before the rate rose keep their price', async () => {
  let tomanPerUsd = 100_000;
  const moving: ExchangeRateSource = { current: async () => ({ tomanPerUsd, takenAt: new Date(), origin: 'market' }) };
  const own = await openTestWorld({ overrides: { exchangeRate: moving } });
  try {
    const node = await enrolFakeNode(own);
    const user = await own.user({ usdCents: 1000 });
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: node.id } });
    await node.sync();
    const id = data.config.id;
    const before = (await user.api.getWallet()).data.balance;
    const granted = node.limitOf(id);
    tomanPerUsd = 500_000;
    await node.report([{ config: id, down: granted }]);
    const cheap = Number(chargeToman(BigInt(granted), priceMilliTomanPerGb(3, 100_000)));
    expect(before - (await user.api.getWallet()).data.balance).toBe(cheap);
    // What was granted after the rise costs the new price, from its first byte.
    await node.report([{ config: id, down: granted + 10_000_000 }]);
    const dear = Number(chargeToman(10_000_000n, priceMilliTomanPerGb(3, 500_000)));
    expect(before - (await user.api.getWallet()).data.balance).toBe(cheap + dear);
    await own.proveLedger();
  } finally {
    await own.close();
  }
});

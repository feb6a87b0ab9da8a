import { randomUUID } from 'node:crypto';
import { ApiError } from '@raha/contract/client.ts';
import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChance } from './world/chance.ts';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { pause, Refused, until } from './world/processes.ts';
import { payAtTestBank, signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * A user journey while the server, PostgreSQL and the node agent are killed (-9) at random moments. Every action is repeated
 * with the same idempotency key until it is acknowledged; in the end each one counts exactly once.
 */
const RATE = 100_000;
const CENTS_PER_GB = 100;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 100_000n;
const CHARGE_TOMAN = 10_000n;
/** Each part once, in random order; three times in `npm run test:long`. */
const ROUNDS = process.env.TEST_LONG ? 9 : 3;
const DOWNLOAD_BYTES_PER_SECOND = 1_000_000n;
/** What the agent may lose at each kill: two sampling periods, because the kill may hit just before a sample. */
const CRASH_TAIL = 4n * DOWNLOAD_BYTES_PER_SECOND;

describe.skipIf(whyNoTunnels())('kill -9 at random moments of the journey', () => {
  const chance = createChance();
  let world: World;
  let witness: Witness;
  let user: TestUser;
  let over = false;
  const done = { cards: 0n, charges: 0n, created: new Set<string>(), deleted: new Set<string>() };

  beforeAll(async () => {
    console.log(`E2E_SEED=${chance.seed}`);
    world = await createWorld({
      environment: { USD_RATE_TOMAN: String(RATE) },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB, 'configs.perUser': 1_000 },
    });
    witness = await createWitness(world.network);
  });
  afterAll(() => world?.close());

  test('nothing acknowledged is lost, nothing counts twice, and the invariants hold', async () => {
    const cards = await issueGiftCards(world.controlPlane, 60, 1);
    user = await signUp(world.controlPlane.url, world.mailbox, 'nika@example.com', 'نیکا کریمی');
    const serverId = await waitForServer(world);
    await redeem(cards.pop()!);
    const main = await user.api.createConfig({ body: { name: 'اصلی', serverId, keepKey: true } });
    await until('the config to be served', async () => (await readConfig(main.data.config.id)).applied);
    await world.device.up(main.data.file);
    await until('a page through the tunnel', () => world.device.seenAs());

    const journey = Promise.all([redeeming(cards), charging(), arranging(serverId), downloading()]);
    // Awaited at the end; an earlier failure must not be an unhandled rejection.
    journey.catch(() => {});
    const kills = { server: 0, postgres: 0, agent: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      await pause(500 + chance.below(2_500));
      // Every part equally often, in random order.
      const fewest = Math.min(...Object.values(kills));
      const victims = (Object.keys(kills) as (keyof typeof kills)[]).filter((part) => kills[part] === fewest);
      const victim = chance.pick(victims);
      kills[victim] += 1;
      await killAndRestart(victim);
      expect(await checkBooks(world.controlPlane), `after killing ${victim} in round ${round}`).toBe('ok');
    }
    over = true;
    await journey;

    const billed = await settled(main.data.config.id);
    const truth = await witness.bytes();
    expect(billed).toBeLessThanOrEqual(truth);
    expect(truth - billed).toBeLessThanOrEqual(CRASH_TAIL * BigInt(kills.agent));

    const { data: wallet } = await user.api.getWallet();
    const paidIn = done.cards * CARD_TOMAN + done.charges * CHARGE_TOMAN;
    expect(BigInt(wallet.balance)).toBe(paidIn - chargeToman(billed, price));
    expect(BigInt(wallet.stats.totalDeposits)).toBe(paidIn);

    const { data } = await user.api.listConfigs();
    const there = data.configs.map((config) => config.id).sort();
    expect(there).toEqual([main.data.config.id, ...[...done.created].filter((id) => !done.deleted.has(id))].sort());
    expect(await checkBooks(world.controlPlane)).toBe('ok');
    console.log(
      `kills ${JSON.stringify(kills)}, cards ${done.cards}, charges ${done.charges}, configs ${done.created.size}`,
    );
    console.log(`passed ${truth} bytes, billed ${billed}`);
  }, 900_000);

  async function killAndRestart(victim: 'server' | 'postgres' | 'agent'): Promise<void> {
    if (victim === 'agent') {
      await world.vpnNode.kill();
      await world.vpnNode.start();
      return;
    }
    if (victim === 'server') await world.controlPlane.kill();
    else world.controlPlane.killPostgres();
    // Without its database the server exits by itself, and a supervisor restarts it.
    await world.controlPlane.ended();
    await world.controlPlane.start();
  }

  async function redeeming(codes: string[]): Promise<void> {
    for (const code of codes) {
      if (over) return;
      await redeem(code);
      await pause(300 + chance.below(400));
    }
  }

  async function redeem(code: string): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    await insist(() => user.api.processGiftCard({ body: { gift_card_code: code } }, { headers }));
    done.cards += 1n;
  }

  async function charging(): Promise<void> {
    while (!over) {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { amount: Number(CHARGE_TOMAN), payment_method: 'zarinpal' } as const;
      const started = await insist(() => user.api.chargeWallet({ body }, { headers }));
      await insist(() => payAtTestBank(started.payment_url));
      await insist(() => user.api.verifyCharge({ body: { transaction_id: started.transaction_id } }));
      done.charges += 1n;
      await pause(chance.below(500));
    }
  }

  async function arranging(serverId: string): Promise<void> {
    for (let n = 1; !over; n++) {
      const name = `دستگاه ${n}`;
      // Creating a config has no idempotency key: a taken name shows that the earlier attempt succeeded.
      const id = await insist(async () => {
        try {
          return (await user.api.createConfig({ body: { name, serverId } })).data.config.id;
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'config_name_taken') throw error;
          const { data } = await user.api.listConfigs();
          return data.configs.find((config) => config.name === name)!.id;
        }
      });
      done.created.add(id);
      if (n % 2 === 0) {
        await insist(() => user.api.deleteConfig({ params: { id } }), ['not_found']);
        done.deleted.add(id);
      }
      await pause(200 + chance.below(500));
    }
  }

  /** Continuous traffic in small downloads, whatever happens to the parts. */
  async function downloading(): Promise<void> {
    while (!over) await world.device.download(2_000_000, { rate: String(DOWNLOAD_BYTES_PER_SECOND), seconds: 10 });
  }

  /** Repeats an action until it is acknowledged. A definite refusal is an error. */
  function insist<T>(act: () => Promise<T>, alsoDone: readonly string[] = []): Promise<T> {
    return until(
      'an acknowledgement',
      async () => {
        try {
          return { answer: await act() };
        } catch (error) {
          if (!(error instanceof ApiError)) return undefined;
          if (alsoDone.includes(error.code)) return { answer: undefined };
          if (error.status === 0 || error.status >= 500) return undefined;
          // The test bank is part of the server: when it was killed, the outcome of a payment is still open.
          if (error.code === 'server_offline' || error.code === 'payment_pending') return undefined;
          // An account starts ten payments a minute (decision 47).
          if (error.code === 'too_many_requests') return undefined;
          throw new Refused(error.code);
        }
      },
      120_000,
      200,
    ).then(({ answer }) => answer as T);
  }

  async function readConfig(id: string) {
    return (await user.api.getConfig({ params: { id } })).data.config;
  }

  /** Usage that no longer changes. */
  async function settled(id: string): Promise<bigint> {
    let last = -1n;
    return until(
      'usage to settle',
      async () => {
        const now = BigInt((await readConfig(id)).totalTraffic);
        const same = now === last;
        last = now;
        return same && now;
      },
      60_000,
      10_000,
    );
  }
});

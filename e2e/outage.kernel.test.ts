import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { until } from './world/processes.ts';
import { signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * The control plane is away while a real device goes on through a real tunnel (decision 95). How long that lasts is shown by the fleets
 * in virtual time; here it is far more than a minute's lease of before.
 */
const RATE = 100_000;
const CENTS_PER_GB = 300;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 500_000n;
/** All 200 MB would take a minute here. */
const BYTES = 100_000_000;

describe.skipIf(whyNoTunnels())('the control plane is away', () => {
  let world: World;
  let witness: Witness;
  let user: TestUser;

  beforeAll(async () => {
    world = await createWorld({
      environment: { USD_RATE_TOMAN: String(RATE) },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB },
    });
    witness = await createWitness(world.network);
    user = await signUp(world.controlPlane.url, world.mailbox, 'mina@example.com');
    const [code = ''] = await issueGiftCards(world.controlPlane, 1, 5);
    await user.api.processGiftCard({ body: { gift_card_code: code, current_price: RATE } });
  });
  afterAll(() => world?.close());

  test('a device that was idle goes on without it, and each byte is billed when it is back', async () => {
    const serverId = await waitForServer(world);
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId, keepKey: true } });
    const id = data.config.id;
    await until('the node to serve the config', async () => (await readConfig(id)).applied);
    await world.device.up(data.file);
    await until('a page through the tunnel', () => world.device.seenAs());

    await world.controlPlane.stop();
    expect((await world.device.download(BYTES, { rate: '100M', seconds: 120 })).complete).toBe(true);
    await world.controlPlane.start();

    const billed = await witness.settled(async () => BigInt((await readConfig(id)).totalTraffic));
    expect(billed).toBeGreaterThan(BigInt(BYTES));
    const { data: wallet } = await user.api.getWallet();
    expect(BigInt(wallet.balance)).toBe(CARD_TOMAN - chargeToman(billed, price));
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  async function readConfig(id: string) {
    return (await user.api.getConfig({ params: { id } })).data.config;
  }
});

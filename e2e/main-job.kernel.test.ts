import { affordableBytes, chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from './world/control-plane.ts';
import { addresses } from './world/network.ts';
import { chargeThroughTestBank, type Person, signUp } from './world/person.ts';
import { until } from './world/processes.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * The main job from end to end, on real daemons in network namespaces. Prices are such that the money for a test
 * download runs out within seconds: 2,000,000 toman per GB, so that a card of one dollar buys 50 MB.
 */
const RATE = 100_000;
const CENTS_PER_GB = 2_000;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 100_000n;
/**
 * The largest packet the node's kernel handles: it joins the segments of a stream before the firewall sees them. So much
 * may be left unspent when the next packet does not fit any more; never a byte too much.
 */
const PACKET = 65_536n;

describe.skipIf(whyNoTunnels())('the main job', () => {
  let world: World;
  let witness: Witness;
  let person: Person;
  let config: Config;
  let file: string;
  let controlPlaneUp = false;
  /** All money the person ever put in. */
  let paidIn = 0n;

  stopAtFirstFailure();
  beforeAll(async () => {
    world = await createWorld({
      mail: 'smtp',
      environment: { USD_RATE_TOMAN: String(RATE) },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB },
    });
    witness = await createWitness(world.network);
    controlPlaneUp = true;
  });
  afterAll(() => world?.close());
  afterEach(async () => {
    if (controlPlaneUp) expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  test('sign up by a code from a real mail', async () => {
    person = await signUp(world.controlPlane.url, world.mailbox, 'sara@example.com');
    expect(person.user).toMatchObject({ status: 'active', isActivated: false, balance: 0, trialEndsAt: null });
    expect((await world.mailbox.mailTo('sara@example.com')).at(-1)?.html).toContain('dir="rtl"');
  });

  test('activate with a gift card', async () => {
    const serverId = await waitForServer(world);
    const tooEarly = person.api.createConfig({ body: { name: 'گوشی', serverId } });
    await expect(tooEarly).rejects.toMatchObject({ status: 403, code: 'activation_required' });
    await redeemCard();
    const { user } = await person.api.me();
    expect(user).toMatchObject({ isActivated: true, balance: Number(paidIn) });
  });

  test('create a config: the node has it, and says so', async () => {
    const serverId = await waitForServer(world);
    const created = await person.api.createConfig({ body: { name: 'لپ‌تاپ', serverId, keepKey: true } });
    config = created.data.config;
    file = await person.api.downloadConfig({ params: { id: config.id } });
    await until('the node to serve the config', async () => (await readConfig()).applied);
  });

  test('wg-quick up with the downloaded file: the page sees the node as its caller', async () => {
    expect(await world.device.seenAs()).toBe(addresses.client4);
    await world.device.up(file);
    expect(await until('a page through the tunnel', () => world.device.seenAs())).toBe(addresses.node4);
    expect(await until('a page over IPv6', () => world.device.seenAs(6))).toBe(addresses.node6);
    await until('the panel to see the device', async () => (await readConfig()).connected);
  });

  test('the bytes are on the usage, and the charge is F(bytes) to the toman', async () => {
    const download = await world.device.download(10_000_000);
    expect(download).toEqual({ bytes: 10_000_000, complete: true });
    const bytes = await settledBytes();
    expect(Number(bytes)).toBeGreaterThan(10_000_000);
    expect(Number(bytes)).toBeLessThan(12_500_000);
    const wallet = await readWallet();
    expect(wallet.balance).toBe(paidIn - chargeToman(bytes, price));
  });

  test('the money runs out in the middle of a large download: it stops, and nobody owes anything', async () => {
    const download = await world.device.download(500_000_000, { rate: '8M' });
    expect(download.complete).toBe(false);
    expect(download.bytes).toBeGreaterThan(10_000_000);
    await expectSpentToTheLastByte();
    expect(await world.device.seenAs()).toBeUndefined();
  });

  test('with the control plane killed, the stop still happens', async () => {
    await redeemCard();
    await until('traffic', () => world.device.seenAs());
    const before = await witness.bytes();
    const downloading = world.device.download(500_000_000, { rate: '8M' });
    await until('the download to run', async () => (await witness.bytes()) > before + 2_000_000n);
    controlPlaneUp = false;
    await world.controlPlane.kill();
    world.controlPlane.killPostgres();
    const download = await downloading;
    expect(download.complete).toBe(false);
    const stoppedAt = await witness.bytes();
    expect(stoppedAt).toBeLessThanOrEqual(affordableBytes(paidIn, price)!);
    expect(await world.device.seenAs()).toBeUndefined();

    await world.controlPlane.start();
    controlPlaneUp = true;
    expect(await settledBytes()).toBeGreaterThanOrEqual(stoppedAt);
    const wallet = await readWallet();
    expect(wallet.balance).toBeGreaterThanOrEqual(0n);
    // What the killed control plane had not leased yet, if anything, is still the person's to use.
    await world.device.download(500_000_000, { rate: '8M' });
    await expectSpentToTheLastByte();
  });

  test('top up through the test bank: traffic flows again, without touching the client', async () => {
    const { balance } = await chargeThroughTestBank(person, 50_000);
    paidIn += 50_000n;
    expect(BigInt(balance)).toBeGreaterThanOrEqual(50_000n);
    const start = performance.now();
    expect(await until('traffic after the credit', () => world.device.seenAs(4, 0.25), 10_000, 10)).toBe(
      addresses.node4,
    );
    console.log(`traffic flows ${(performance.now() - start).toFixed(0)} ms after the answer that told of the credit`);
    const bytes = await settledBytes();
    expect((await readWallet()).balance).toBe(paidIn - chargeToman(bytes, price));
  });

  test('delete the config: no traffic, and a new handshake is refused', async () => {
    await person.api.deleteConfig({ params: { id: config.id } });
    await until('the traffic to end', async () => (await world.device.seenAs()) === undefined);
    await world.device.down();
    await world.device.up(file);
    expect(await world.device.seenAs()).toBeUndefined();
    expect(await world.device.lastHandshake()).toBe(0);
    await expect(person.api.getConfig({ params: { id: config.id } })).rejects.toMatchObject({ status: 404 });
  });

  test('in the end all money is accounted for and none is held back', async () => {
    const bytes = await witness.bytes();
    const wallet = await until('the lease to come back', async () => {
      const now = await readWallet();
      return now.reserved === 0n && now;
    });
    expect(wallet.balance).toBe(paidIn - chargeToman(bytes, price));
  });

  async function redeemCard(): Promise<void> {
    const { codes } = await world.controlPlane.raha<{ codes: string[] }>(
      'gift-cards',
      'issue',
      '--count',
      '1',
      '--usd',
      '1',
    );
    const code = codes[0]!;
    const worth = await person.api.verifyGiftCard({ body: { gift_card_code: code } });
    expect(worth.data).toMatchObject({ usd_cents: 100, amount: Number(CARD_TOMAN), rate: RATE });
    const before = (await readWallet()).balance;
    const redeemed = await person.api.processGiftCard({ body: { gift_card_code: code, current_price: RATE } });
    paidIn += CARD_TOMAN;
    expect(BigInt(redeemed.data.balance)).toBe(before + CARD_TOMAN);
  }

  async function expectSpentToTheLastByte(): Promise<void> {
    await until(
      'the panel to say that the money is spent',
      async () => {
        if ((await readConfig()).service === 'no_balance') return true;
        // On a machine with much else to do the next lease may come after curl has lost patience: go on where it stopped.
        await world.device.download(500_000_000, { rate: '8M', seconds: 20 });
        return false;
      },
      120_000,
    );
    const bytes = await settledBytes();
    const limit = affordableBytes(paidIn, price)!;
    expect(bytes).toBeLessThanOrEqual(limit);
    expect(limit - bytes).toBeLessThan(PACKET);
    const wallet = await readWallet();
    expect(wallet.balance).toBe(paidIn - chargeToman(bytes, price));
    expect(wallet.balance).toBeGreaterThanOrEqual(0n);
  }

  /** Waits until the product's count is the kernel's own, and answers with it. */
  function settledBytes(): Promise<bigint> {
    return until('usage to be what the kernel counted', async () => {
      const truth = await witness.bytes();
      return BigInt((await readConfig()).totalTraffic) === truth && truth;
    });
  }

  async function readConfig(): Promise<Config> {
    return (await person.api.getConfig({ params: { id: config.id } })).data.config;
  }

  async function readWallet(): Promise<{ balance: bigint; reserved: bigint }> {
    const { data } = await person.api.getWallet();
    return { balance: BigInt(data.balance), reserved: BigInt(data.reserved) };
  }
});

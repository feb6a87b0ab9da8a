import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { createDevice, type Device } from './world/device.ts';
import { addresses } from './world/network.ts';
import { until } from './world/processes.ts';
import { signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/** Devices of one user, each with another protocol, use one wallet at the same time. */
const RATE = 100_000;
const CENTS_PER_GB = 2_000;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 100_000n;
const protocols = ['wireguard', 'openvpn', 'ikev2'] as const;

describe.skipIf(whyNoTunnels())('one wallet, a device for every protocol', () => {
  let world: World;
  let witness: Witness;
  let user: TestUser;

  beforeAll(async () => {
    world = await createWorld({
      environment: { USD_RATE_TOMAN: String(RATE) },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB },
    });
    witness = await createWitness(world.network);
    user = await signUp(world.controlPlane.url, world.mailbox, 'sara@example.com');
    const codes = await issueGiftCards(world.controlPlane, 1, 1);
    await user.api.processGiftCard({ body: { gift_card_code: codes[0]!, current_price: RATE } });
  });
  afterAll(() => world?.close());

  test('together they use it up to the last paid byte, and not beyond', async () => {
    const devices = new Map<string, Device>();
    const close: (() => Promise<void>)[] = [];
    try {
      for (const protocol of protocols) {
        const serverId = await waitForServer(world, protocol);
        const { data } = await user.api.createConfig({ body: { name: protocol, serverId, protocol } });
        const beside = protocol !== 'wireguard';
        const device = beside ? createDevice(world.network, world.directory, protocol, { beside }) : world.device;
        close.push(() => device.down());
        // The client for IKEv2 tries once: a node that does not know the config yet would refuse it for good.
        await until('the node to serve the config', async () => (await readConfig(data.config.id)).applied);
        await device.up(data.file);
        await until(`traffic over ${protocol}`, async () => (await device.seenAs()) === addresses.node4);
        devices.set(data.config.id, device);
      }
      await useUp(devices);
      // A wallet counts as spent when the largest packet no longer fits; small packets use up the rest.
      for (const device of devices.values())
        await until('no page to fit in what is left', async () => (await device.seenAs()) === undefined, 120_000);
      for (const device of devices.values()) expect(await device.seenAs()).toBeUndefined();

      const readConfigs = () => Promise.all([...devices.keys()].map(readConfig));
      await witness.settled(async () =>
        (await readConfigs()).reduce((sum, config) => sum + BigInt(config.totalTraffic), 0n),
      );
      const configs = await readConfigs();
      const charged = configs.reduce((sum, config) => sum + chargeToman(BigInt(config.totalTraffic), price), 0n);
      const { data: wallet } = await user.api.getWallet();
      expect(charged).toBeLessThanOrEqual(CARD_TOMAN);
      expect(BigInt(wallet.balance)).toBe(CARD_TOMAN - charged);
      // Each has used a part of it, and what is left pays for no packet.
      for (const config of configs) expect(config.totalTraffic).toBeGreaterThan(1_000_000);
      expect(wallet.balance).toBeLessThan(300);
      expect(await checkBooks(world.controlPlane)).toBe('ok');
    } finally {
      for (const end of close) await end();
    }
  });

  /** Money may move from one device's lease to another's, so this goes on until all are spent at the same time. */
  async function useUp(devices: ReadonlyMap<string, Device>): Promise<void> {
    for (;;) {
      const { configs } = (await user.api.listConfigs()).data;
      const unspent = configs.filter(({ service }) => service !== 'no_balance');
      if (unspent.length === 0) return;
      const download = { rate: '4M', seconds: 20, stallSeconds: 3 };
      await Promise.all(unspent.map(({ id }) => devices.get(id)?.download(60_000_000, download)));
    }
  }

  async function readConfig(id: string): Promise<Config> {
    return (await user.api.getConfig({ params: { id } })).data.config;
  }
});

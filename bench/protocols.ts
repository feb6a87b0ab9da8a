import { type Protocol, protocols } from '@raha/contract/protocols.ts';
import { createDevice, type Device } from '../e2e/world/device.ts';
import { addresses } from '../e2e/world/network.ts';
import { until } from '../e2e/world/processes.ts';
import { activate, signUp, type TestUser } from '../e2e/world/user.ts';
import { createWorld, waitForServer } from '../e2e/world/world.ts';
import type { Figure, Say } from './run.ts';
import { median, pairwiseRatio } from './statistics.ts';

const SAMPLES = 10;

/**
 * (h) For each protocol: from the request that creates a config to the first page through its tunnel, with the stock
 * client started once the panel shows the config as applied; alternating with that client and a config that exists already.
 */
export async function measureProtocols(say: Say): Promise<Figure[]> {
  const world = await createWorld();
  try {
    const user = await signUp(world.controlPlane.url, world.mailbox, 'bench@example.com', 'Bench');
    await activate(world.controlPlane, user.api, 100);
    const figures: Figure[] = [];
    for (const protocol of protocols) {
      const serverId = await waitForServer(world, protocol);
      const device = createDevice(world.network, `${world.directory}/${protocol}`, protocol);
      const runs = { fresh: [] as number[], known: [] as number[] };
      for (let sample = 0; sample < SAMPLES; sample++) {
        const [fresh, known] = await measureOne(user, device, { serverId, protocol });
        runs.fresh.push(fresh);
        runs.known.push(known);
      }
      say(
        `  ${protocol}: created → first page ${median(runs.fresh).toFixed(0)} ms, known ${median(runs.known).toFixed(0)} ms`,
      );
      figures.push(
        { part: 'h', what: `${protocol}: created → first page, p50`, value: median(runs.fresh), unit: 'ms' },
        {
          part: 'h',
          what: `${protocol}: the same client, known to the node, p50`,
          value: median(runs.known),
          unit: 'ms',
        },
        { part: 'h', what: `${protocol}: created to known`, value: pairwiseRatio(runs.fresh, runs.known), unit: '×' },
      );
    }
    return figures;
  } finally {
    await world.close();
  }
}

async function measureOne(
  user: TestUser,
  device: Device,
  order: { serverId: string; protocol: Protocol },
): Promise<[fresh: number, known: number]> {
  const connect = async (file: string) => {
    await device.up(file);
    await until('a page through the tunnel', async () => (await device.seenAs()) === addresses.node4, 30_000, 5);
  };
  const begin = performance.now();
  const { data } = await user.api.createConfig({ body: { name: 'bench', ...order } });
  // Wait until the panel shows it as applied: an earlier client is refused, and some then give up.
  const params = { id: data.config.id };
  await until('the node', async () => (await user.api.getConfig({ params })).data.config.applied, 30_000, 5);
  await connect(data.file);
  const fresh = performance.now() - begin;
  await device.down();
  const again = performance.now();
  await connect(data.file);
  const known = performance.now() - again;
  await device.down();
  await user.api.deleteConfig({ params });
  return [fresh, known];
}

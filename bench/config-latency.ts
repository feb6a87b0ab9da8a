import { pause, until } from '../e2e/world/processes.ts';
import type { TestUser } from '../e2e/world/user.ts';
import { activate, signUp } from '../e2e/world/user.ts';
import { createWorld, type World, waitForServer } from '../e2e/world/world.ts';
import { type AgentRuns, agentFigures, measureAgent } from './agent-at-scale.ts';
import { newPeerKeys, type PeerKeys, waitForAnswer } from './handshake.ts';
import type { Figure, Say } from './run.ts';
import { median, pairwiseRatio, percentile } from './statistics.ts';
import { createYardstick, type Yardstick } from './wireguard-yardstick.ts';

const SIZES = [10, 1_000, 10_000] as const;
const SAMPLES = 100;
const PER_USER = 900;
/** Rewriting ten thousand peers takes seconds each time. */
const REWRITES = 5;

interface Runs {
  readonly created: number[];
  readonly set: number[];
  readonly rewritten: number[];
}

/**
 * (a) From the request that creates a config to the first handshake that the node answers for it, with 10, 1,000 and 10,000
 * configs on the node, alternating with the bare tools on an interface with as many peers. Includes (g), the agent.
 */
export async function measureConfigLatency(say: Say): Promise<Figure[]> {
  const world = await createWorld({ settings: { 'configs.perUser': 1_000 }, agentAsInstalled: true });
  let yardstick: Yardstick | undefined;
  try {
    yardstick = await createYardstick(world.network, `${world.directory}/yardstick`);
    const bench = await prepare(world);
    const results = new Map<number, Runs>();
    const agents = new Map<number, AgentRuns>();
    for (const size of SIZES) {
      await bench.fill(size);
      await yardstick.fill(size);
      results.set(size, await measure(bench, yardstick));
      const { created, set, rewritten } = results.get(size)!;
      const figures = [median(created), percentile(created, 99), median(set), median(rewritten)].map((ms) =>
        ms.toFixed(1),
      );
      say(
        `  ${size} configs: created → usable ${figures[0]} ms (p99 ${figures[1]}), wg set ${figures[2]} ms, rewrite ${figures[3]} ms`,
      );
      agents.set(size, await measureAgent(world, yardstick, bench.someone(), () => bench.createOne(), size));
      await waitUntilApplied(world);
      const { adopted, rebuilt, idleMemory, memory, deltaBytes } = agents.get(size)!;
      say(
        `  agent killed ${median(adopted).toFixed(0)} ms, rebooted ${median(rebuilt).toFixed(0)} ms, a change ${deltaBytes} bytes, memory ${(idleMemory / 1e6).toFixed(0)} MB, with traffic ${(memory / 1e6).toFixed(0)} MB`,
      );
    }
    return [...figuresOf(results), ...agentFigures(agents)];
  } finally {
    await yardstick?.close();
    await world.close();
  }
}

interface Bench {
  fill(size: number): Promise<void>;
  /** Milliseconds until the node answers a new config; the config is deleted afterwards. */
  createOne(): Promise<number>;
  /** A config that stays, and the endpoint of its node. */
  someone(): { keys: PeerKeys; server: Parameters<typeof waitForAnswer>[1] };
}

async function prepare(world: World): Promise<Bench> {
  const serverId = await waitForServer(world);
  const people: TestUser[] = [];
  let server: { host: string; port: number; publicBase64: string } | undefined;
  let last: PeerKeys | undefined;
  let count = 0;
  const create = async (user: TestUser, keys: PeerKeys) => {
    count += 1;
    const body = { name: `config ${count}`, serverId, publicKey: keys.publicBase64 };
    const { data } = await user.api.createConfig({ body });
    const publicBase64 = /PublicKey = (\S+)/.exec(data.file)?.[1] ?? '';
    server ??= {
      host: world.network.nodeAddress,
      port: Number(/Endpoint = \S+:(\d+)/.exec(data.file)?.[1]),
      publicBase64,
    };
    return data.config.id;
  };
  return {
    fill: async (size) => {
      while (people.length * PER_USER < size) people.push(await activeUser(world, people.length));
      while (count < size) {
        const user = people[Math.floor(count / PER_USER)]!;
        const batch = Math.min(4, size - count, PER_USER - (count % PER_USER));
        last = newPeerKeys();
        const keys = [last, ...Array.from({ length: batch - 1 }, newPeerKeys)];
        await Promise.all(keys.map((own) => create(user, own)));
      }
      await waitUntilApplied(world);
    },
    someone: () => ({ keys: last!, server: server! }),
    createOne: async () => {
      const user = people.at(-1)!;
      const keys = newPeerKeys();
      const before = count;
      const target = server!;
      const answer = waitForAnswer(keys, target);
      await pause(5);
      const begin = performance.now();
      const id = await create(user, keys);
      const elapsed = (await answer) - begin;
      await user.api.deleteConfig({ params: { id } });
      count = before;
      await pause(300);
      return elapsed;
    },
  };
}

async function measure(bench: Bench, yardstick: Yardstick): Promise<Runs> {
  const runs: Runs = { created: [], set: [], rewritten: [] };
  for (let sample = 0; sample < SAMPLES; sample++) {
    runs.created.push(await bench.createOne());
    runs.set.push(await yardstick.setOne());
    if (runs.rewritten.length < REWRITES) runs.rewritten.push(await yardstick.rewriteAll());
  }
  return runs;
}

async function activeUser(world: World, index: number): Promise<TestUser> {
  const user = await signUp(world.controlPlane.url, world.mailbox, `user${index}@example.com`, `TestUser ${index}`);
  await activate(world.controlPlane, user.api, 100);
  return user;
}

async function waitUntilApplied(world: World): Promise<void> {
  type Listed = { nodes: { applied: number; generation: number }[] };
  await until(
    'the node to have applied everything',
    async () => {
      const { nodes } = await world.controlPlane.raha<Listed>('nodes', 'list');
      return nodes[0]?.applied === nodes[0]?.generation;
    },
    120_000,
    500,
  );
}

function figuresOf(results: ReadonlyMap<number, Runs>): Figure[] {
  const part = 'a' as const;
  const figures = [...results].flatMap(([size, { created, set, rewritten }]): Figure[] => [
    { part, what: `${size} configs: created → usable, p50`, value: median(created), unit: 'ms' },
    { part, what: `${size} configs: created → usable, p99`, value: percentile(created, 99), unit: 'ms' },
    { part, what: `${size} configs: bare wg set, p50`, value: median(set), unit: 'ms' },
    { part, what: `${size} configs: rewrite by strip and syncconf, p50`, value: median(rewritten), unit: 'ms' },
    {
      part,
      what: `${size} configs: p50 to wg set`,
      value: pairwiseRatio(created, set),
      unit: '×',
      aim: { atMost: 10 },
    },
  ]);
  const at = (size: number) => results.get(size)!;
  const growth = median(at(10_000).created) / median(at(10).created);
  const rewrite = median(at(10_000).rewritten) / median(at(10_000).created);
  return [
    ...figures,
    { part, what: 'p50 with 10,000 to p50 with 10 configs', value: growth, unit: '×', aim: { atMost: 1.2 } },
    { part, what: 'rewrite to created → usable at 10,000', value: rewrite, unit: '×', aim: { atLeast: 100 } },
  ];
}

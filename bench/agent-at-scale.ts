import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { must, node, pause, until } from '../e2e/world/processes.ts';
import type { World } from '../e2e/world/world.ts';
import { type PeerKeys, waitForAnswer } from './handshake.ts';
import type { Figure } from './run.ts';
import { median } from './statistics.ts';
import { openTraffic } from './traffic.ts';
import type { Yardstick } from './wireguard-yardstick.ts';

const RESTARTS = 5;
const QUIET_MS = 1_500;
/** Several reports, the first of which names every config. */
const TRAFFIC_MS = 30_000;

export interface AgentRuns {
  /** After a kill -9, when its kernel state is adopted. Milliseconds. */
  readonly adopted: number[];
  /** After a reboot, when firewall, daemon and peers are rebuilt without the control plane. Milliseconds. */
  readonly rebuilt: number[];
  /** The bare daemon and tool with as many peers. Milliseconds. */
  readonly bare: number[];
  /** Bytes to the node for creating and deleting a config, and for the complete state. */
  readonly deltaBytes: number;
  readonly wholeBytes: number;
  /** Bytes. */
  readonly idleMemory: number;
  /** The most of a time in which every config sends. */
  readonly memory: number;
  readonly bareMemory: number;
}

/**
 * (g) The cost of the agent with many configs: the time until all are served and metered again after a kill and after a
 * reboot, the size of a change on the wire, and memory.
 */
export async function measureAgent(
  world: World,
  yardstick: Yardstick,
  config: { keys: PeerKeys; server: Parameters<typeof waitForAnswer>[1] },
  createOne: () => Promise<unknown>,
  size: number,
): Promise<AgentRuns> {
  const deltas: number[] = [];
  for (let sample = 0; sample < 5; sample++) {
    const before = world.relay.carried().toNode;
    await createOne();
    deltas.push(world.relay.carried().toNode - before);
  }
  const idleMemory = await world.vpnNode.memory();
  const memory = await withTraffic(world, size);
  const runs = { adopted: [] as number[], rebuilt: [] as number[], bare: [] as number[], whole: [] as number[] };
  for (let round = 0; round < RESTARTS; round++) {
    runs.adopted.push(await restart(world));
    const before = world.relay.carried().toNode;
    await pause(QUIET_MS);
    runs.whole.push(world.relay.carried().toNode - before);
    runs.rebuilt.push(
      await restart(world, async () => {
        await must('ip', ['-n', world.network.node, 'link', 'del', world.vpnNode.interfaceName]);
        await must('ip', ['netns', 'exec', world.network.node, 'nft', 'flush', 'ruleset']);
      }),
    );
    await waitForAnswer(config.keys, config.server);
    await pause(QUIET_MS);
    runs.bare.push(await yardstick.restart());
  }
  const bareMemory = await memoryOfBareNode();
  const [deltaBytes, wholeBytes] = [median(deltas), median(runs.whole)];
  const { adopted, rebuilt, bare } = runs;
  return { adopted, rebuilt, bare, deltaBytes, wholeBytes, idleMemory, memory, bareMemory };
}

/** Bytes: the most that the agent takes while all configs have traffic, which it meters, writes down and reports. */
async function withTraffic(world: World, size: number): Promise<number> {
  const traffic = await openTraffic(world, size);
  try {
    const seen: number[] = [];
    const end = performance.now() + TRAFFIC_MS;
    while (performance.now() < end) {
      seen.push(await world.vpnNode.memory());
      await pause(250);
    }
    return Math.max(...seen);
  } finally {
    await traffic.close();
  }
}

/** Milliseconds from the start of the process until it serves its stored state. */
async function restart(world: World, meanwhile: () => Promise<void> = async () => {}): Promise<number> {
  await world.vpnNode.kill();
  await meanwhile();
  const begin = performance.now();
  await world.vpnNode.start();
  await until('the agent to serve', async () => /"started"/.test(world.vpnNode.output()), 120_000, 2);
  return performance.now() - begin;
}

async function memoryOfBareNode(): Promise<number> {
  const child = spawn(node, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    await pause(1_000);
    return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
  } finally {
    child.kill('SIGTERM');
  }
}

export function agentFigures(results: ReadonlyMap<number, AgentRuns>): Figure[] {
  const part = 'g' as const;
  const figures = [...results].flatMap(([size, runs]): Figure[] => {
    const of = (what: string) => `${size} configs: ${what}`;
    return [
      { part, what: of('agent killed → all enforced, p50'), value: median(runs.adopted), unit: 'ms' },
      { part, what: of('machine rebooted → all enforced, p50'), value: median(runs.rebuilt), unit: 'ms' },
      { part, what: of('bare wireguard-go and wg setconf, p50'), value: median(runs.bare), unit: 'ms' },
      { part, what: of('rebooted to bare tools'), value: median(runs.rebuilt) / median(runs.bare), unit: '×' },
      { part, what: of('created and deleted again, on the wire'), value: runs.deltaBytes, unit: 'bytes' },
      { part, what: of('whole state to that'), value: runs.wholeBytes / runs.deltaBytes, unit: '×' },
      { part, what: of('memory of the agent, idle'), value: runs.idleMemory / 1e6, unit: 'MB' },
      {
        part,
        what: of('the same, every config with traffic'),
        value: runs.memory / 1e6,
        unit: 'MB',
        aim: { atMost: 150 },
      },
      { part, what: of('memory with traffic to an idle Node.js'), value: runs.memory / runs.bareMemory, unit: '×' },
    ];
  });
  const sizes = [...results.keys()].sort((a, b) => a - b);
  const [least, most] = [results.get(sizes[0]!)!, results.get(sizes.at(-1)!)!];
  const growth = most.deltaBytes / least.deltaBytes;
  return [
    ...figures,
    {
      part,
      what: `on the wire with ${sizes.at(-1)} to ${sizes[0]} configs`,
      value: growth,
      unit: '×',
      aim: { atMost: 1.2 },
    },
  ];
}

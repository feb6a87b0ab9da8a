import { sql } from 'kysely';
import type { ControlPlane } from '../e2e/world/control-plane.ts';
import { insertConfigs } from './fleet-rows.ts';
import { type BusyNode, type Deps, depsOf, emptyNode, expectAllCharged, report, userWithConfig } from './ingestion.ts';
import type { Pgbench } from './pgbench.ts';
import { type Figure, medianFigure, rateOf, ratioFigure, type Say } from './run.ts';

const NODES = Number(process.env.BENCH_NODES ?? 1_000);
const CONFIGS_PER_NODE = 500;
const SECONDS = 8;
const ROUNDS = 5;
/** A number of nodes that fits into every cache: the difference to all nodes is the cost of size. */
const FEW = Math.min(20, NODES);
/** Concurrent requests. */
const CLIENTS = 8;

/**
 * (f) A fleet: a thousand nodes with five hundred configs each, one after the other. Every report changes every config, and
 * each is charged to another user. Alternates with TPC-B on the same server. `BENCH_NODES=2000` is a million configs.
 */
export async function measureFleet(controlPlane: ControlPlane, pgbench: Pgbench, say: Say): Promise<Figure[]> {
  const deps = await depsOf(controlPlane);
  try {
    const begin = performance.now();
    const nodes = await openFleet(deps, controlPlane.url);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    say(`  ${NODES} nodes with ${CONFIGS_PER_NODE} configs each, made in ${seconds} s`);
    await sql`ANALYZE`.execute(deps.db);
    const runs = { tpcb: [] as number[], few: [] as number[], all: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.tpcb.push(await pgbench.run(SECONDS));
      runs.few.push(await ingest(nodes.slice(0, FEW)));
      runs.all.push(await ingest(nodes));
      const [tpcb, few, all] = [runs.tpcb, runs.few, runs.all].map((values) => values.at(-1)?.toFixed(0));
      say(`  round ${round + 1}: TPC-B ${tpcb}/s, changed configs of ${FEW} nodes ${few}/s, of all ${all}/s`);
    }
    await expectAllCharged(deps, nodes);
    const rows = `${(NODES * CONFIGS_PER_NODE).toLocaleString('en')} configs`;
    return [
      medianFigure('f', `${rows} on ${NODES} nodes: usage ingestion over HTTP`, 'changed configs/s', runs.all),
      ratioFigure('f', `${rows}: changed configs to TPC-B`, runs.all, runs.tpcb),
      ratioFigure('f', `all ${NODES} nodes to ${FEW} of them`, runs.all, runs.few),
    ];
  } finally {
    await deps.close();
  }
}

/** Changed configs per second, the nodes taking turns. */
async function ingest(nodes: readonly BusyNode[]): Promise<number> {
  let next = 0;
  return await rateOf(CLIENTS, SECONDS, () => report(nodes[next++ % nodes.length] as BusyNode));
}

async function openFleet(deps: Deps, origin: string): Promise<BusyNode[]> {
  const first = await emptyNode(deps, origin, NODES);
  const { userId: model } = await userWithConfig(deps, 'model@example.com', first.id);
  const nodes: BusyNode[] = [];
  const open = async () => {
    while (nodes.length < NODES) {
      const index = nodes.push({ node: first, configs: [], total: 0 }) - 1;
      const node = await emptyNode(deps, origin, index);
      const configs = await insertConfigs(deps, node, model, CONFIGS_PER_NODE);
      // Their first leases, which normal creation would have granted.
      await node.report(configs.map((config) => ({ config })));
      nodes[index] = { node, configs, total: 0 };
    }
  };
  await Promise.all(Array.from({ length: 4 }, open));
  return nodes;
}

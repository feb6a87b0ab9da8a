import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { addDays } from '../server/src/platform/clock.ts';
import { newId } from '../server/src/platform/random.ts';
import { type Server, startServer } from './calls.ts';
import { openProduct, type Product } from './charges.ts';
import { insertConfigs } from './fleet-rows.ts';
import { type BusyNode, emptyNode, report, userWithConfig } from './ingestion.ts';
import { readProcessors, spentMs } from './processor-time.ts';
import { type Figure, medianFigure, type Say } from './run.ts';
import { type Cluster, freshDatabaseBySocket } from './transfers.ts';

const DATABASE = 'bench_panels';
const PANELS = 1_000;
const NODES = 20;
const ROUNDS = 3;
const SECONDS = 30;
const REPORT_SECONDS = 4;
/** What an open dashboard with traffic requests once a minute, the chart of the month open too. */
const EACH_MINUTE = ['getDashboard', 'getDashboardTraffic', 'listConfigs'] as const;

/**
 * (m) A thousand open dashboards whose devices all have traffic: their streams get each report's figures, and they request
 * what the events do not contain. Against the same reports without an open panel. Processor time of the server and of its
 * database, which is asked over a Unix socket as in (k); so other work on the machine disturbs little. Connecting is not counted.
 */
export async function measurePanels(cluster: Cluster, say: Say): Promise<Figure[]> {
  const clusterUrl = cluster.url;
  const databaseUrl = await freshDatabaseBySocket(cluster, DATABASE);
  const product = await openProduct(databaseUrl);
  const server = await startServer(databaseUrl);
  try {
    await setSettingByKey(product.deps.db, 'trial.passwordlessDays', '0', product.deps.clock.now());
    const nodes = await openNodes(product, server.origin);
    const tokens = await signInAll(product, nodes);
    const runs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const closed = await shareOfCore(clusterUrl, server, () => reportFor(nodes, SECONDS));
      const panels = await Promise.all(tokens.map((token) => openPanel(server.origin, token)));
      const open = await shareOfCore(clusterUrl, server, () =>
        Promise.all([reportFor(nodes, SECONDS), requestFor(server.origin, tokens, SECONDS)]),
      );
      const expected = PANELS * Math.floor(SECONDS / REPORT_SECONDS);
      const events = () => panels.reduce((sum, panel) => sum + panel.events(), 0);
      // The last ones may be on their way.
      while (events() < expected) await new Promise((resolve) => setTimeout(resolve, 100));
      for (const panel of panels) panel.close();
      runs.push(open - closed);
      say(
        `  round ${round + 1}: ${closed.toFixed(1)} % of a core without panels, ${open.toFixed(1)} % with, ${expected} events`,
      );
    }
    return [medianFigure('m', `${PANELS} open dashboards with traffic`, '% of a core', runs, { atMost: 20 })];
  } finally {
    server.process.disconnect();
    await once(server.process, 'exit');
    await product.close();
  }
}

async function openNodes({ deps }: Product, origin: string): Promise<BusyNode[]> {
  const nodes: BusyNode[] = [];
  const { userId: model } = await userWithConfig(deps, 'model@example.com', (await emptyNode(deps, origin, NODES)).id);
  for (let index = 0; index < NODES; index += 1) {
    const node = await emptyNode(deps, origin, index);
    const configs = await insertConfigs(deps, node, model, PANELS / NODES);
    await node.report(configs.map((config) => ({ config })));
    nodes.push({ node, configs, total: 0 });
  }
  await sql`ANALYZE`.execute(deps.db);
  return nodes;
}

/** A session for each user with a config, as a sign-in writes it. */
async function signInAll({ deps }: Product, nodes: readonly BusyNode[]): Promise<string[]> {
  const now = deps.clock.now();
  const configs = nodes.flatMap((node) => node.configs);
  const { rows } = await sql<{ id: string }>`
    SELECT user_id AS id FROM config WHERE id = ANY (${configs}::uuid[])`.execute(deps.db);
  return await Promise.all(
    rows.map(async ({ id: userId }) => {
      const sessionId = newId(now);
      await sql`
        INSERT INTO session (id, user_id, generation, created_at, last_used_at, expires_at, method, device)
        VALUES (${sessionId}, ${userId}, 1, ${now}, ${now}, ${addDays(now, 1)}, 'code', 'bench')
      `.execute(deps.db);
      return await deps.tokens.issue({ userId, sessionId });
    }),
  );
}

interface Panel {
  events(): number;
  close(): void;
}

const streams = new Agent({ keepAlive: true });
const calls = new Agent({ keepAlive: true, maxSockets: 8 });

/** An open stream; resolves with its first event. */
function openPanel(origin: string, token: string): Promise<Panel> {
  return new Promise((resolve, reject) => {
    let events = 0;
    const sent: ClientRequest = request(
      `${origin}${API_BASE}${publicEndpoints.stream.path}`,
      { agent: streams, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`The stream answered ${response.statusCode}.`));
        response.setEncoding('utf8').on('data', (text: string) => {
          events += text.split('"type":"usage"').length - 1;
          if (text.includes('"type":"hello"')) resolve({ events: () => events, close: () => sent.destroy() });
        });
        response.on('error', () => undefined);
      },
    );
    sent.on('error', reject).end();
  });
}

async function reportFor(nodes: readonly BusyNode[], seconds: number): Promise<void> {
  const count = Math.floor(seconds / REPORT_SECONDS) * nodes.length;
  await evenly(count, seconds, (index) => report(nodes[index % nodes.length] as BusyNode));
}

async function requestFor(origin: string, tokens: readonly string[], seconds: number): Promise<void> {
  const count = Math.round((tokens.length * EACH_MINUTE.length * seconds) / 60);
  await evenly(count, seconds, async (index) => {
    const { path } = publicEndpoints[EACH_MINUTE[index % EACH_MINUTE.length] as (typeof EACH_MINUTE)[number]];
    await get(`${origin}${API_BASE}${path}`, tokens[index % tokens.length] as string);
  });
}

/** Starts so many pieces of work at even distances, and waits for all of them. */
async function evenly(count: number, seconds: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const begin = performance.now();
  const begun: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    const wait = begin + (index * seconds * 1_000) / count - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    begun.push(work(index));
  }
  await Promise.all(begun);
}

async function get(url: string, token: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const sent = request(url, { agent: calls, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end();
  });
}

/** Percent of one core that the server and its database used while the work lasted. */
async function shareOfCore(clusterUrl: string, { process }: Server, work: () => Promise<unknown>): Promise<number> {
  const pids = [process.pid as number];
  const [before, begin] = [readProcessors(clusterUrl, DATABASE, pids), performance.now()];
  await work();
  const spent = spentMs(before, readProcessors(clusterUrl, DATABASE, pids));
  return ((spent.servers + spent.database) / (performance.now() - begin)) * 100;
}

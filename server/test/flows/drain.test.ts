import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addNode } from '../../src/modules/fleet/add-node.ts';
import { enrolWith, type FakeNode } from '../fake-node.ts';
import { freePort } from '../free-port.ts';
import { becomesReady, spawnServer } from '../money/server-process.ts';
import { openReadyProxy, type ReadyProxy } from '../ready-proxy.ts';
import { eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/**
 * Two servers behind a proxy are restarted one after the other while users write, nodes poll and report, and panels listen. Nobody
 * notices (production P4).
 */
const dataDir = mkdtempSync(join(tmpdir(), 'raha-drain-'));
const PEOPLE = 6;
let world: TestWorld;
let proxy: ReadyProxy;
let ports: readonly number[];
let servers: ChildProcess[];
let users: TestUser[];
let nodes: FakeNode[];

beforeAll(async () => {
  world = await openTestWorld();
  ports = [await freePort(), await freePort()];
  servers = await Promise.all(ports.map(start));
  proxy = await openReadyProxy(ports.map(originOf));
  users = [];
  for (let n = 0; n < PEOPLE; n += 1) users.push(await world.user());
  nodes = [];
  for (const name of ['drain-1', 'drain-2', 'drain-3']) {
    const { token } = await addNode(world.deps, { name, country: 'DE', city: 'Berlin', address: '198.51.100.7' });
    const node = await enrolWith({ origin: proxy.origin }, token);
    await node.report([]);
    await node.settle();
    nodes.push(node);
  }
}, 120_000);
afterAll(async () => {
  for (const server of servers ?? []) server.kill('SIGKILL');
  await proxy?.close();
  await world?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const originOf = (port: number) => `http://127.0.0.1:${port}`;

async function start(port: number): Promise<ChildProcess> {
  const server = spawnServer(world, 'server', { port, dataDir }, { TRUST_PROXY: 'loopback' });
  await becomesReady(server);
  return server;
}

/** The code with which the process ended; one that had to be cut short ends with 1. */
async function stop(server: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((done) => server.once('exit', done));
  server.kill('SIGTERM');
  return await ended;
}

test('servers stop and start under load: no request fails, and each stop is clean', { timeout: 180_000 }, async () => {
  const done = new AbortController();
  const failures: string[] = [];
  const counts = { writes: 0, polls: 0, reports: 0, streams: 0 };
  const repeat = async (work: () => Promise<unknown>) => {
    while (!done.signal.aborted) await work().catch((error: unknown) => failures.push(String(error)));
  };
  const lanes = [
    ...users.map((user) =>
      repeat(async () => {
        const answer = await fetch(`${proxy.origin}${API_BASE}/notifications/read-all`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${user.token}` },
        });
        if (!answer.ok) failures.push(`read-all answered ${answer.status}`);
        await answer.text();
        counts.writes += 1;
      }),
    ),
    ...nodes.map((node) =>
      repeat(async () => {
        await node.sync(20);
        counts.polls += 1;
      }),
    ),
    repeat(async () => {
      await nodes[0]?.report([]);
      counts.reports += 1;
    }),
    repeat(async () => {
      const answer = await fetch(`${proxy.origin}${API_BASE}/realtime`, {
        headers: { authorization: `Bearer ${users[0]?.token}` },
        signal: done.signal,
      });
      if (!answer.ok) failures.push(`the stream answered ${answer.status}`);
      counts.streams += 1;
      await answer.text();
    }).catch(() => undefined),
  ];
  const codes: (number | null)[] = [];
  const times: number[] = [];
  for (const [at, port] of ports.entries()) {
    const before = proxy.answered;
    await eventually(() => proxy.answered > before + 200, 60_000);
    const from = performance.now();
    codes.push(await stop(servers[at] as ChildProcess));
    times.push(Math.round(performance.now() - from));
    servers[at] = await start(port);
    await eventually(() => proxy.isReady(originOf(port)), 60_000);
  }
  done.abort();
  // Ends the long polls of this test as well.
  codes.push(...(await Promise.all(servers.map(stop))));
  await Promise.all(lanes);
  console.log(`drain: ${JSON.stringify(counts)}, stops of ${times.join(', ')} ms`);
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(proxy.failures).toEqual([]);
  expect(failures.filter((failure) => !failure.startsWith('AbortError'))).toEqual([]);
  // Streams and polls moved over with each stop.
  expect(counts.streams).toBeGreaterThan(1);
  expect(counts.polls).toBeGreaterThan(1);
});

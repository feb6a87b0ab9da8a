import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { costOf } from '../server/test/scale/counters.ts';
import type { TestWorld } from '../server/test/world.ts';
import { median, percentile } from './statistics.ts';

/** One turn of a call, a schedule or a proof. */
interface Turn {
  readonly ms: number;
  readonly serverMs: number;
  readonly databaseMs: number;
}

/** What a piece of work costs, turn by turn. */
export interface Measured {
  readonly turns: readonly Turn[];
  readonly queries: number;
  readonly rows: number;
  readonly buffers: number;
}

/** The same work in one of several worlds. */
export interface Work {
  readonly world: TestWorld;
  readonly prepare?: () => Promise<unknown>;
  readonly run: () => Promise<unknown>;
}

/**
 * Measures the same work in several worlds of this process, turn by turn, each first in its turn: whatever slows the machine or this process
 * down, and whatever warms it up, is the same for all of them. The first turns, which may fill what a process or a connection keeps,
 * do not count, unless there is only one turn.
 */
export async function measureInTurns(works: readonly Work[], turns: number): Promise<Measured[]> {
  const measured: Measured[] = works.map(() => ({ turns: [], queries: 0, rows: 0, buffers: 0 }));
  const warming = turns > 1 ? 2 : 0;
  for (let turn = 0; turn < turns + warming; turn += 1) {
    for (let at = 0; at < works.length; at += 1) {
      const which = (at + turn) % works.length;
      const { world, prepare, run } = works[which] as Work;
      try {
        await prepare?.();
      } catch (error) {
        // A limit per account that only time resets, such as that of passkeys.
        if (turn > warming) return measured;
        throw error;
      }
      const { spent, ...counted } = await measureTurn(world, run);
      const before = measured[which] as Measured;
      measured[which] = { ...counted, turns: turn < warming ? [] : [...before.turns, spent] };
    }
  }
  return measured;
}

async function measureTurn(world: TestWorld, run: () => Promise<unknown>) {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(world.deps.db);
  const pid = rows[0]?.pid ?? 0;
  const before = await buffersRead(world);
  let spent: Turn = { ms: 0, serverMs: 0, databaseMs: 0 };
  const { queries, rows: read } = await costOf(world.deps.db, async () => {
    const [cpu, backend, start] = [process.cpuUsage(), backendMs(pid), performance.now()];
    await run();
    const ms = performance.now() - start;
    const used = process.cpuUsage(cpu);
    spent = { ms, serverMs: (used.user + used.system) / 1_000, databaseMs: backendMs(pid) - backend };
  });
  return { spent, queries, rows: read, buffers: (await buffersRead(world)) - before };
}

/** Time on a processor, from the scheduler's statistics. */
function backendMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

async function buffersRead({ deps: { db } }: TestWorld): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(db);
  await sql`SELECT 1`.execute(db);
  const { rows } = await sql<{ blocks: bigint }>`
    SELECT sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0))::bigint AS blocks
    FROM pg_statio_user_tables WHERE schemaname = 'public'
  `.execute(db);
  return Number(rows[0]?.blocks ?? 0n);
}

/** Processor time of the server and its connection's backend. */
export const processorMs = ({ serverMs, databaseMs }: Turn): number => serverMs + databaseMs;

export function line(name: string, { turns, queries, rows, buffers }: Measured): string {
  const ms = (value: number) => value.toFixed(1).padStart(9);
  const count = (value: number) => String(value).padStart(9);
  const of = (value: (turn: Turn) => number, percent: number) => percentile(turns.map(value), percent);
  const [p50, p99] = [of(({ ms: all }) => all, 50), of(({ ms: all }) => all, 99)].map(ms);
  const server = median(turns.map(({ serverMs }) => serverMs));
  const database = median(turns.map(({ databaseMs }) => databaseMs));
  const counts = [queries, rows, buffers].map(count).join('');
  return `${name.padEnd(50)} p50${p50} p99${p99} cpu${ms(server)} +${ms(database)} ms${counts}`;
}

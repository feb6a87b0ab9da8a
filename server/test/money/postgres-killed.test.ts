import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { eventually, openTestWorld, type TestWorld } from '../world.ts';
import { chance } from './bench.ts';
import { harmAmid, type Moves, openMoves } from './moves.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';

/**
 * T-C2: PostgreSQL is killed (SIGKILL) in the middle of money moves, as a whole or one random process of it, and recovers.
 * The server is not restarted: it answers "unavailable" meanwhile, then continues. Every acknowledged move is there, none is
 * there in part, and a move without an answer happens once when it is retried.
 */
const ROUNDS = Number(process.env.MONEY_SEEDS ?? 300) > 300 ? 50 : 6;
const LANES = 12;
const DAY = 86_400_000;

describe('T-C2 kill -9 of PostgreSQL', () => {
  const clock = manualClock(new Date('2026-03-01T08:00:00Z'));
  let postgres: OwnPostgres;
  let world: TestWorld;
  let moves: Moves;

  beforeAll(async () => {
    postgres = await openOwnPostgres();
    world = await openTestWorld({ clock, database: postgres.database });
    moves = await openMoves(world, 12);
  });
  afterAll(async () => {
    try {
      if (postgres && !postgres.isUp) await postgres.startAgain();
      await world?.close();
    } finally {
      await postgres?.remove();
    }
  });

  /** Any of its processes except the first and the one that runs this query. */
  async function somePart(next: () => number): Promise<number> {
    const client = new pg.Client(postgres.database.url);
    await client.connect();
    try {
      const { rows } = await client.query(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() ORDER BY pid',
      );
      return rows[Math.floor(next() * rows.length)].pid;
    } finally {
      await client.end();
    }
  }

  test(`T-C2 ${ROUNDS} rounds: everything acknowledged is there, once`, { timeout: 24 * 3_600_000 }, async () => {
    let unanswered = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const next = chance(round);
      clock.advance(DAY);
      await moves.signIn();
      const whole = round % 2 === 0;
      const harm = async () => process.kill(whole ? postgres.postmaster : await somePart(next), 'SIGKILL');
      await harmAmid(moves, { lanes: LANES, seed: round, after: 1 + Math.floor(next() * 40), harm });
      unanswered += moves.lost;
      if (whole) await postgres.startAgain();
      await eventually(async () => (await fetch(`${world.origin}/readyz/database`)).ok, 60_000);
      await moves.prove();
      await moves.finish();
      await moves.prove();
    }
    // Otherwise it was killed while nothing was under way.
    expect(unanswered).toBeGreaterThan(ROUNDS);
    console.log(`T-C2: ${moves.acknowledged} moves acknowledged, ${unanswered} without an answer in ${ROUNDS} kills`);
  });
});

import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../src/platform/password-hash.ts';
import { newId } from '../../src/platform/random.ts';
import { chanceOfTelling, deviationOfChance } from '../statistics.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/**
 * No answer reveals whether an address has an account: neither its status and body, nor the time it takes. Times are
 * compared with each other, call by call in mixed order, never with an absolute limit.
 */
let world: TestWorld;
const ROUNDS = 60;
/** The distance from "cannot tell", in deviations; chance alone reaches it once in a few million runs. */
const DEVIATIONS = 5;

beforeAll(async () => {
  world = await openTestWorld();
  await seedPeople();
});
afterAll(() => world.close());

const known = (round: number) => `known${round}@mail.example`;
const unknown = (round: number) => `stranger${round}@mail.example`;

const isWaiting = (round: number) => round >= 3 * ROUNDS && round < 4 * ROUNDS;

/** Users of every kind: with and without a password, and (for resending) with an address that is still unproved. */
async function seedPeople(): Promise<void> {
  const hash = await hashPassword('Correct-horse-7');
  for (let round = 0; round < 6 * ROUNDS; round += 1) {
    const now = world.deps.clock.now();
    await sql`
      INSERT INTO users (id, email, name, role, status, profile_completed, email_verified_at, password_hash, created_at)
      VALUES (${newId(now)}, ${known(round)}, 'آشنا', 'user', 'active', true, ${isWaiting(round) ? null : now}, ${round % 2 === 0 ? hash : null}, ${now})
    `.execute(world.deps.db);
  }
}

interface TimedAnswer {
  readonly milliseconds: number;
  readonly answer: unknown;
}

async function send(path: string, body: object): Promise<TimedAnswer> {
  const start = performance.now();
  const response = await fetch(`${world.origin}${API_BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { request_id: _, ...fields } = (await response.json()) as Record<string, unknown>;
  const milliseconds = performance.now() - start;
  const headers = [...response.headers.keys()].sort();
  return { milliseconds, answer: { status: response.status, headers, ...fields } };
}

/** Sends requests for both kinds of addresses in mixed order, so that other load on the machine affects both alike. */
async function compare(path: string, from: number, bodyOf: (email: string) => object) {
  const timed: { known: TimedAnswer[]; unknown: TimedAnswer[] } = { known: [], unknown: [] };
  for (let warm = 0; warm < 5; warm += 1) await send(path, bodyOf(`warm${from}.${warm}@mail.example`));
  for (let round = from; round < from + ROUNDS; round += 1) {
    const pair = [
      async () => timed.known.push(await send(path, bodyOf(known(round)))),
      async () => timed.unknown.push(await send(path, bodyOf(unknown(round)))),
    ];
    for (const one of round % 2 === 0 ? pair : pair.reverse()) await one();
  }
  const answers = [...timed.known, ...timed.unknown].map(({ answer }) => answer);
  return { answers, chance: chanceOfTelling(times(timed.unknown), times(timed.known)) };
}

async function fastest(count: number, timed: () => Promise<TimedAnswer>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < count; time += 1) best = Math.min(best, (await timed()).milliseconds);
  return best;
}

const times = (timed: readonly TimedAnswer[]) => timed.map(({ milliseconds }) => milliseconds);
const bound = DEVIATIONS * deviationOfChance(ROUNDS, ROUNDS);

describe('known and unknown addresses', () => {
  // In a world of its own: on a fast machine the calls of both use up what one network may try.
  test('the comparison would notice: a log-in that hashes nothing is told apart', async () => {
    // The fastest of three of each, so that what else the machine does hides no hash.
    const rounds = ROUNDS / 2;
    const hashed: number[] = [];
    const refused: number[] = [];
    for (let round = 5 * ROUNDS; round < 5 * ROUNDS + rounds; round += 1) {
      hashed.push(await fastest(3, () => send('/auth/login', { email: known(round), password: 'Wrong-horse-7' })));
      refused.push(await fastest(3, () => send('/auth/login', { email: known(round), password: '' })));
    }
    const chance = chanceOfTelling(refused, hashed);
    await world.close();
    world = await openTestWorld();
    await seedPeople();
    expect(Math.abs(chance - 0.5)).toBeGreaterThan(DEVIATIONS * deviationOfChance(rounds, rounds));
  });

  test.each<[string, number, (email: string) => object]>([
    ['/auth/send-verification-code', 0, (email) => ({ email })],
    ['/auth/login', ROUNDS, (email) => ({ email, password: 'Wrong-horse-7' })],
    ['/auth/forgot-password', 2 * ROUNDS, (email) => ({ email })],
    ['/auth/resend-verification', 3 * ROUNDS, (email) => ({ email })],
    ['/auth/verify-code', 4 * ROUNDS, (email) => ({ email, code: '123456' })],
  ])('%s: one answer, and times that reveal nothing', async (path, from, bodyOf) => {
    const { answers, chance } = await compare(path, from, bodyOf);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(Math.abs(chance - 0.5)).toBeLessThan(bound);
  });
});

test('the area under the curve', () => {
  expect(chanceOfTelling([1, 2, 3], [4, 5, 6])).toBe(1);
  expect(chanceOfTelling([4, 5, 6], [1, 2, 3])).toBe(0);
  expect(chanceOfTelling([1, 1, 1], [1, 1])).toBe(0.5);
  expect(chanceOfTelling([1, 3], [2, 4])).toBe(0.75);
});

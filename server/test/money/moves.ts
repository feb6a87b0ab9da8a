import { createClient } from '@raha/contract/client.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { startSession } from '../../src/modules/sessions/start-session.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { addDays } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import type { TestWorld } from '../world.ts';
import { adjust, balancesOf, chance, compareWithBanks, confirmed, gateways, makeUser, payer } from './bench.ts';

/**
 * Money moves over HTTP while the database is harmed: transfers between users and charges at the banks, all with idempotency
 * keys. Acknowledged moves are recorded; a move without an answer is retried later with its key.
 */
export interface Moves {
  readonly acknowledged: number;
  /** How many calls are still without an answer. */
  readonly lost: number;
  /** Starts new sessions after the clock was advanced, so that the day's limits begin anew. */
  signIn(): Promise<void>;
  /** Runs lanes of moves until `isOver`; `onAcknowledged` is called for each one that is done. */
  storm(options: { lanes: number; seed: number; isOver: () => boolean; onAcknowledged?: () => void }): Promise<void>;
  /** Every acknowledged move is in the books, none is there in part, and every invariant holds. */
  prove(): Promise<void>;
  /** Retries every call without an answer until it has one; then every wallet holds exactly what was acknowledged. */
  finish(): Promise<void>;
}

interface Move {
  readonly name: 'transfer' | 'charge';
  /** Continues where it stopped; resolves when all of it is acknowledged. */
  run(): Promise<void>;
}

interface Mover {
  readonly id: string;
  readonly email: string;
  token: string;
  /** The expected balance, from the acknowledged moves. */
  wallet: number;
}

/** What the clients have recorded. */
interface Books {
  readonly movers: Mover[];
  readonly transfers: string[];
  readonly charges: string[];
  readonly lost: Move[];
  keys: number;
}

interface Refused {
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string;
}

const START = 2_000_000;

/** `isExpected`: refusals other than "unavailable" that the harm explains. */
export async function openMoves(
  world: TestWorld,
  people: number,
  isExpected: (refused: Refused) => boolean = () => false,
): Promise<Moves> {
  const books: Books = { movers: [], transfers: [], charges: [], lost: [], keys: 0 };
  for (let made = 0; made < people; made += 1) {
    const user = await makeUser(world);
    await adjust(world, user.id, START);
    books.movers.push({ ...user, token: '', wallet: START });
  }
  await acquaint(world, books.movers);
  const signIn = () => startSessions(world, books.movers);
  await signIn();
  return {
    get acknowledged() {
      return books.transfers.length + books.charges.length;
    },
    get lost() {
      return books.lost.length;
    },
    signIn,
    async storm({ lanes, seed, isOver, onAcknowledged }) {
      const failures: unknown[] = [];
      const lane = async (number: number) => {
        const next = chance(seed * 1_000 + number);
        while (!isOver() && failures.length === 0) {
          const move = next() < 0.7 ? transfer(world, books, next) : charge(world, books, next);
          if (await attempt(books, move, isExpected)) onAcknowledged?.();
        }
      };
      await Promise.all(
        Array.from({ length: lanes }, (_, number) => lane(number).catch((error) => void failures.push(error))),
      );
      if (failures.length > 0) throw failures[0];
    },
    async prove() {
      expect(await missing(world, books)).toEqual([]);
      expect(await halves(world)).toEqual([]);
      await world.proveLedger();
    },
    async finish() {
      for (let rounds = 0; books.lost.length > 0; rounds += 1) {
        if (rounds > 200) throw new Error('some calls never get an answer');
        for (const move of books.lost.splice(0)) await attempt(books, move, isExpected);
      }
      const balances = await balancesOf(world, books.movers);
      expect(balances.map(({ balance }) => balance)).toEqual(books.movers.map(({ wallet }) => wallet));
      expect(await compareWithBanks(world)).toEqual([]);
    },
  };
}

/** All have paid each other long ago, so that small transfers need no proof. */
async function acquaint(world: TestWorld, movers: readonly Mover[]): Promise<void> {
  const clock = { now: () => addDays(world.deps.clock.now(), -3) };
  for (const { id } of movers)
    for (const { email } of movers.filter((other) => other.id !== id)) {
      const idempotent = { userId: id, key: `met ${email}`, requestHash: '' };
      const request = { fromUserId: id, toEmail: email, amountToman: 1_000, idempotent, ...confirmed };
      await transferMoney({ ...world.deps, clock }, request);
    }
}

async function startSessions(world: TestWorld, movers: readonly Mover[]): Promise<void> {
  const device = { cookie: 'of the tests', label: 'test' };
  for (const mover of movers) {
    const { sessionId } = await inTransaction(world.deps.db, (tx) =>
      startSession(tx, world.deps, mover, { days: 1, method: 'code', device }, world.deps.clock.now()),
    );
    mover.token = await world.deps.tokens.issue({ userId: mover.id, sessionId });
  }
}

/** A few users get most of it. */
function anyMover({ movers }: Books, next: () => number): Mover {
  return movers[Math.min(movers.length - 1, Math.floor(-Math.log2(1 - next() * 0.999)))] as Mover;
}

function transfer(world: TestWorld, books: Books, next: () => number): Move {
  const { movers } = books;
  const from = movers[Math.floor(next() * movers.length)] as Mover;
  const candidate = anyMover(books, next);
  const to = candidate === from ? (movers[(movers.indexOf(from) + 1) % movers.length] as Mover) : candidate;
  const amount = 1_000 + Math.floor(next() * 5_000);
  const key = newKey(books);
  return {
    name: 'transfer',
    async run() {
      const { data } = await clientOf(world, from).transferMoney({ body: { to: to.email, amount } }, key);
      books.transfers.push(data.transaction_id);
      from.wallet -= amount;
      to.wallet += amount;
    },
  };
}

function charge(world: TestWorld, books: Books, next: () => number): Move {
  const mover = anyMover(books, next);
  const amount = 10_000 + Math.floor(next() * 90_000);
  const gateway = gateways[Math.floor(next() * gateways.length)] ?? 'zarinpal';
  const key = newKey(books);
  let id: string | undefined;
  let isPaid = false;
  return {
    name: 'charge',
    async run() {
      const api = clientOf(world, mover);
      id ??= (await api.chargeWallet({ body: { amount, payment_method: gateway } }, key)).transaction_id;
      if (!isPaid) await payer(world, id, 'PAID');
      isPaid = true;
      await api.verifyCharge({ body: { transaction_id: id } });
      books.charges.push(id);
      mover.wallet += amount;
    },
  };
}

function clientOf(world: TestWorld, mover: Mover) {
  return createClient(publicEndpoints, {
    baseUrl: world.origin + API_BASE,
    timeoutMs: 60_000,
    headers: () => ({ authorization: `Bearer ${mover.token}` }),
  });
}

function newKey(books: Books) {
  books.keys += 1;
  return { headers: { 'Idempotency-Key': `move-${books.keys}` } };
}

/** True when acknowledged; false without an answer, or when the answer leaves the outcome open. */
async function attempt(books: Books, move: Move, isExpected: (refused: Refused) => boolean): Promise<boolean> {
  try {
    await move.run();
    return true;
  } catch (error) {
    const { code, status, requestId } = error as Refused;
    if (code === 'transfer_limit_reached' || code === 'too_many_requests') return false;
    books.lost.push(move);
    const isClean = status === 503 && code === 'unavailable' && requestId !== undefined;
    // The answers of a bank without a database, and of the test's own call to the bank.
    const isBanks = status === undefined || code === 'gateway_unavailable' || code === 'payment_pending';
    if (!isClean && !(move.name === 'charge' && isBanks) && !isExpected(error as Refused)) throw error;
    return false;
  }
}

/** Does the harm once so many moves are acknowledged, while others run, and starts no new ones after that. */
export async function harmAmid(
  moves: Moves,
  { lanes, seed, after, harm }: { lanes: number; seed: number; after: number; harm: () => Promise<unknown> },
): Promise<void> {
  let left = after;
  let isDone = false;
  let harming: Promise<unknown> = Promise.resolve();
  const onAcknowledged = () => {
    left -= 1;
    if (left === 0) harming = harm().finally(() => (isDone = true));
  };
  await moves.storm({ lanes, seed, isOver: () => isDone, onAcknowledged });
  await harming;
}

/** Acknowledged moves that are missing from the books, or there only in part. */
async function missing(world: TestWorld, { transfers, charges }: Books): Promise<unknown[]> {
  const { rows } = await sql`
    SELECT 'transfer' AS what, id FROM unnest(${transfers}::uuid[]) AS a (id)
    WHERE NOT EXISTS (SELECT FROM ledger_transfer t WHERE t.source_type = 'wallet_transfer' AND t.source_id = a.id::text)
    UNION ALL
    SELECT 'charge', id FROM unnest(${charges}::uuid[]) AS a (id)
    WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = a.id AND p.state = 'completed')
      OR NOT EXISTS (SELECT FROM ledger_transfer t WHERE t.source_type = 'payment' AND t.source_id = a.id::text)
  `.execute(world.deps.db);
  return rows;
}

/**
 * All that one transaction writes is there together: the request, its transfer with two entries, both notifications,
 * the stored answer.
 */
async function halves(world: TestWorld): Promise<unknown[]> {
  const { rows } = await sql`
    WITH seen AS (
      SELECT t.source_id AS id, count(e.account_id) AS entries, coalesce(sum(e.amount), 0) AS sum
      FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id
      WHERE t.source_type = 'wallet_transfer' GROUP BY t.source_id
    )
    SELECT w.id, s.id AS transfer, s.entries FROM wallet_transfer w FULL JOIN seen s ON s.id = w.id::text
    WHERE w.id IS NULL OR s.id IS NULL OR s.entries <> 2 OR s.sum <> 0
      OR (SELECT count(DISTINCT kind) FROM notification n WHERE n.cause = w.id::text) <> 2
      OR NOT EXISTS (SELECT FROM idempotent_request i WHERE i.response ->> 'transferId' = w.id::text)
  `.execute(world.deps.db);
  return rows;
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { withBreak } from '../break-connection.ts';
import type { AnswerMessage, Order } from './cell.ts';
import { beginHistory } from './history.ts';
import { type CellUser, deliver, isLost, openTwoCells, START_TOMAN, type TwoCells } from './two-cells.ts';

/**
 * T-M4: two cells (decision 115) pay each other through a clearing account, an outbox and an inbox, by messages that are lost, repeated and
 * reordered, while connections break at every statement and after every COMMIT, and a cell is away for a while. The product has no
 * cells; the ledgers are its own. Whenever nothing is being written, the wallets of both and what is under way are what they were
 * at the beginning, and each transfer has arrived once, come back once, or neither yet; at the end one of both, each wallet
 * has what a model says, and the whole proof of each cell finds nothing. `npm run test:long` runs a thousand histories.
 */
const SEEDS = Number(process.env.CELL_SEEDS ?? 10);
const FIRST_SEED = Number(process.env.CELL_FIRST_SEED ?? 115);
const STEPS = 60;
/** Their proofs are over everything, so they begin anew before that is much. */
const RUNS_PER_PAIR = 50;

let two: TwoCells;
beforeAll(async () => {
  two = await openTwoCells();
});
afterAll(() => two.close());

test.each(['accepted', 'refused'] as const)(
  'T-M4 a transfer that is %s, with the connection broken at each statement and after each COMMIT',
  { timeout: 600_000 },
  async (outcome) => {
    const [from, to] = [await two.user('north'), await two.user('south')];
    const ids: string[] = [];
    const isTrue = async (what: string) => {
      const of = { ids, userIds: [from.id, to.id], totalToman: BigInt(2 * START_TOMAN) };
      expect(await two.observer.findFaults(of), what).toEqual([]);
    };
    let points = 0;
    for (const kind of ['statement', 'commit'] as const) {
      for (let at = 1; ; at += 1) {
        const order: Order = {
          id: two.newId(),
          fromUserId: from.id,
          to: to.cell,
          toEmail: to.email,
          amountToman: 1_000,
        };
        ids.push(order.id);
        await two.setOpen(to, outcome === 'accepted');
        const broken = await withBreak(kind === 'statement' ? { statement: at } : { commit: at }, async () => {
          await carryThrough(order, from, async () => {
            await isTrue(`${kind} ${at}`);
            // What was refused stays so, although the account takes money by the time of the second copy.
            await two.setOpen(to, true);
          });
        });
        await isTrue(`after ${kind} ${at}`);
        if (broken === undefined) break;
        points += 1;
      }
    }
    const states = [...(await two.observer.statesOf(ids)).values()];
    expect(states).toHaveLength(ids.length);
    expect(states).not.toContain('sent');
    expect(states.filter((state) => state === 'returned').length > 0).toBe(outcome === 'refused');
    expect(points).toBeGreaterThan(15);
    await two.prove();
    console.log(`T-M4: ${points} breaks on the way of a transfer that is ${outcome}`);
  },
);

/** Sends, carries and settles, each until it is answered. `onLost` is called when a connection broke. */
async function carryThrough(order: Order, { cell }: CellUser, onLost: () => Promise<void>): Promise<void> {
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isLost(error)) throw error;
        await onLost();
      }
    }
  };
  const home = two.cells[cell];
  await insist(() => home.send(order));
  const message = (await insist(() => home.listUnanswered())).find(({ id }) => id === order.id);
  if (!message) throw new Error(`${order.id} is not in the outbox`);
  const answer = (await insist(() => deliver(two, message))) as AnswerMessage;
  await insist(() => deliver(two, answer));
}

test(`T-M4 ${SEEDS} histories of transfers inside and between two cells`, { timeout: 24 * 3_600_000 }, async () => {
  const sum = { arrived: 0, returned: 0, broken: 0, midway: 0 };
  for (let run = 0; run < SEEDS; run += 1) {
    if (run > 0 && run % RUNS_PER_PAIR === 0) {
      await two.close();
      two = await openTwoCells();
    }
    const seed = FIRST_SEED + run;
    const history = await beginHistory(two, seed);
    const userIds = history.users.map(({ id }) => id);
    const isTrue = async (what: string) => {
      const of = { ids: history.ids, userIds, totalToman: BigInt(userIds.length * START_TOMAN) };
      expect(await two.observer.findFaults(of), `seed ${seed}, ${what}`).toEqual([]);
    };
    for (let step = 1; step <= STEPS; step += 1) {
      if (await history.step()) sum.broken += 1;
      await isTrue(`step ${step}`);
    }
    const states = await two.observer.statesOf(history.ids);
    sum.midway += [...states.values()].filter((state) => state !== 'sent').length;
    await history.end();
    await isTrue('the end');
    const { wallets, arrived, returned } = await history.expectWallets();
    expect(await two.observer.walletsOf(userIds), `seed ${seed}`).toEqual(wallets);
    await two.prove();
    sum.arrived += arrived;
    sum.returned += returned;
  }
  console.log(
    `T-M4: ${sum.arrived} transfers arrived and ${sum.returned} came back, ${sum.midway} of them while connections ` +
      `broke (${sum.broken}) and messages were lost`,
  );
  expect(sum.midway).toBeGreaterThan(SEEDS);
  expect(sum.arrived).toBeGreaterThan(SEEDS);
  expect(sum.returned).toBeGreaterThan(0);
  expect(sum.broken).toBeGreaterThan(SEEDS);
});

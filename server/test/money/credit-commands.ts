import fc from 'fast-check';
import { expect } from 'vitest';
import { approveWaiting, declineWaiting, withdrawWaiting } from '../../src/modules/bulk/decide-order.ts';
import { findBulk, listItems } from '../../src/modules/bulk/list-bulks.ts';
import { orderCredit } from '../../src/modules/bulk/order-credit.ts';
import { runBulks } from '../../src/modules/bulk/run-bulks.ts';
import { steerBulk } from '../../src/modules/bulk/steer-bulk.ts';
import { withBreak } from '../break-connection.ts';
import { actor, type TestWorld } from '../world.ts';
import { command, type MoneyCommand, type Real } from './commands.ts';
import { codeOf, membersOf } from './desk-commands.ts';
import { credit, type Model, type ModelUser } from './model.ts';

/**
 * The same credit for many users in T-M1: ordered by a member or at the command line, approved, declined, withdrawn or left; run by one
 * worker or two, killed anywhere, paused and stopped. The model pays whom an order says it has paid, once; the wallets have to agree.
 */
interface Order {
  readonly id: string;
  readonly each: number;
  readonly people: readonly number[];
  /** Null: at the command line. */
  readonly proposal: string | null;
  readonly at: number;
  isApproved: boolean;
  readonly paid: Set<number>;
}

const orders = new WeakMap<Model, Order[]>();
const OPEN_MS = 72 * 3_600_000;
const DELAY_MS = 120_000;

function ordersOf(model: Model): Order[] {
  const known = orders.get(model) ?? [];
  orders.set(model, known);
  return known;
}

const nowOf = (real: Real) => real.clock.now().getTime();
const some = fc.subarray([0, 1, 2], { minLength: 1 });
const ends = ['approved', 'approved', 'declined', 'withdrawn', 'left open', 'by the machine'] as const;

const order = fc
  .tuple(some, fc.integer({ min: 1, max: 900_000 }), fc.constantFrom(...ends))
  .map(([people, each, end]) =>
    command(`creditMany(${people}, ${each}, ${end})`, async (model, real) => {
      const { deps } = real.world;
      const [one, two] = await membersOf(real.world);
      const by = end === 'by the machine' ? actor : one;
      const ids = people.map((at) => real.people[at]?.id as string);
      const asked = { whom: { ids }, toman: BigInt(each), message: 'model', reason: 'model' };
      expect(await codeOf(orderCredit(deps, { actor: by, ...asked, sumToman: 0n }))).toBe('bulk_sum');
      const { id, sumToman } = await orderCredit(deps, { actor: by, ...asked });
      expect(sumToman).toBe(each * people.length);
      const proposal = (await findBulk(deps.db, id))?.proposal_id ?? null;
      const made = {
        id,
        each,
        people,
        proposal,
        at: nowOf(real),
        isApproved: proposal === null,
        paid: new Set<number>(),
      };
      ordersOf(model).push(made);
      if (proposal === null) return;
      expect(await codeOf(approveWaiting(deps, { actor: one, id: proposal }))).toBe('proposal_own');
      if (end === 'declined') await declineWaiting(deps, { actor: two, id: proposal, reason: 'model' });
      if (end === 'withdrawn') await withdrawWaiting(deps, { actor: one, id: proposal, reason: 'model' });
      if (end !== 'approved') return;
      // Twice at once: one of them does it.
      const approve = () => codeOf(approveWaiting(deps, { actor: two, id: proposal }));
      expect((await Promise.all([approve(), approve()])).sort()).toEqual(['proposal_over', undefined]);
      made.isApproved = true;
    }),
  );

const approveLater = fc.nat({ max: 50 }).map((which) =>
  command(`approveCredit(${which})`, async (model, real) => {
    const waiting = ordersOf(model).filter(({ proposal, isApproved }) => proposal !== null && !isApproved);
    const found = waiting[which % Math.max(1, waiting.length)];
    if (!found || found.proposal === null) return;
    const [, two] = await membersOf(real.world);
    const isOpen = (await findBulk(real.world.deps.db, found.id))?.state === 'proposed';
    const code = await codeOf(approveWaiting(real.world.deps, { actor: two, id: found.proposal }));
    expect(code).toBe(isOpen && nowOf(real) < found.at + OPEN_MS ? undefined : 'proposal_over');
    found.isApproved = code === undefined;
  }),
);

const ways = ['once', 'two workers', 'killed', 'killed after a commit'] as const;

const run = fc.tuple(fc.constantFrom(...ways), fc.integer({ min: 1, max: 60 })).map(([way, at]) =>
  command(`runCredits(${way}, ${at})`, async (model, real) => {
    real.clock.advance(DELAY_MS + 1_000);
    const runAll = () => runBulks(real.world.deps);
    if (way === 'once') await runAll();
    if (way === 'two workers') await Promise.all([runAll(), runAll()]);
    if (way === 'killed') await killed({ statement: at }, runAll);
    if (way === 'killed after a commit') await killed({ commit: 1 + (at % 4) }, runAll);
    for (const known of ordersOf(model)) await follow(model, real, known);
  }),
);

/** One at a time: of two that break connections at once, the second one would go on unbroken. */
async function killed(at: Parameters<typeof withBreak>[0], work: () => Promise<void>): Promise<void> {
  const before = breaking;
  breaking = before.then(() => withBreak(at, () => work().catch(() => undefined)));
  await breaking;
}
let breaking: Promise<unknown> = Promise.resolve();

async function follow(model: Model, real: Real, known: Order): Promise<void> {
  const done = new Set((await listItems(real.world.deps.db, known.id, { state: 'done', limit: 10 })).map(userOf));
  for (const at of known.paid) expect(done.has(real.people[at]?.id)).toBe(true);
  for (const at of known.people) {
    if (!done.has(real.people[at]?.id) || known.paid.has(at)) continue;
    expect(known.isApproved).toBe(true);
    known.paid.add(at);
    credit(model.people[at] as ModelUser, known.each, known.each);
  }
  expect(known.paid.size).toBe(done.size);
}

const userOf = ({ user_id }: { readonly user_id: string }): string | undefined => user_id;

const steer = fc.tuple(fc.nat({ max: 50 }), fc.constantFrom('pause', 'continue', 'stop')).map(([which, step]) =>
  command(`steerCredit(${which}, ${step})`, async (model, real) => {
    const known = ordersOf(model);
    const found = known[which % Math.max(1, known.length)];
    if (found) await tryStep(real.world, found.id, step);
  }),
);

async function tryStep({ deps }: TestWorld, id: string, step: 'pause' | 'continue' | 'stop'): Promise<void> {
  const code = await codeOf(steerBulk(deps, { actor, id, step }));
  expect([undefined, 'bulk_state']).toContain(code);
}

export const creditCommands: fc.Arbitrary<MoneyCommand>[] = [order, order, approveLater, run, run, run, steer];

import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { performers } from '../../src/modules/console/perform-approved.ts';
import { exportBatch } from '../../src/modules/gift-cards/export-batch.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { findApprovedBatches, requestBatch } from '../../src/modules/gift-cards/request-batch.ts';
import { approveAct, declineAct, withdrawAct } from '../../src/modules/staff/approvals.ts';
import type { Actor } from '../../src/platform/audit.ts';
import { actor, TEST_RATE, type TestWorld } from '../world.ts';
import { command, type MoneyCommand, type Real } from './commands.ts';
import { codeOf, membersOf } from './desk-commands.ts';
import { credit, type ModelUser } from './model.ts';

/**
 * Gift cards of members in T-M1: issued at once up to what members may issue alone in thirty days, beyond that proposed, and approved by
 * a second member, at the machine or by one who is alone, declined, withdrawn or left. Their codes are taken out as on the machine, and redeemed.
 */
const LIMIT_CENTS = 5_000;
const DAY_MS = 86_400_000;
const OPEN_MS = 3 * DAY_MS;

interface Batch {
  readonly count: number;
  readonly usdCents: number;
  /** When the cards end; null: never. */
  readonly end: number | null;
}

/** Of one world, because the limit is one of all members. */
interface Cards {
  readonly alone: { readonly at: number; readonly usdCents: number }[];
  readonly open: (Batch & { readonly id: string; readonly at: number })[];
  readonly codes: { readonly code: string; readonly usdCents: number; readonly end: number | null }[];
  /** All that members have issued. */
  issued: { count: number; usdCents: number };
}

const desks = new WeakMap<TestWorld, Cards>();

function cardsOf({ world }: Real): Cards {
  const cards = desks.get(world) ?? { alone: [], open: [], codes: [], issued: { count: 0, usdCents: 0 } };
  desks.set(world, cards);
  return cards;
}

const nowOf = (real: Real) => real.clock.now().getTime();
const isOver = ({ end }: Pick<Batch, 'end'>, now: number) => end !== null && end <= now;

/** What of the limit of thirty days is left. */
function leftCents({ alone }: Cards, now: number): number {
  const recent = alone.filter(({ at }) => at > now - 30 * DAY_MS);
  return Math.max(0, LIMIT_CENTS - recent.reduce((sum, { usdCents }) => sum + usdCents, 0));
}

/** The batch is there: its codes come out once. */
async function take(real: Real, batchId: string, { count, usdCents, end }: Batch): Promise<void> {
  const cards = cardsOf(real);
  let codes: readonly string[] = [];
  await exportBatch(real.world.deps, { actor, batchId }, async (all) => {
    codes = all;
  });
  expect(codes).toHaveLength(count);
  cards.codes.push(...codes.map((code) => ({ code, usdCents, end })));
  cards.issued = { count: cards.issued.count + count, usdCents: cards.issued.usdCents + count * usdCents };
}

/** Twice at once: one of them does it, unless the end of the cards is over. */
async function approve(real: Real, by: Actor, id: string, batch: Batch): Promise<'done' | 'stale'> {
  const { deps } = real.world;
  const once = () => codeOf(approveAct(deps, { actor: by, id }, performers(deps)));
  const codes = (await Promise.all([once(), once()])).sort();
  const isStale = isOver(batch, nowOf(real));
  expect(codes).toEqual(isStale ? ['approval_stale', 'approval_stale'] : ['proposal_over', undefined]);
  const made = (await findApprovedBatches(deps.db, [id])).get(id);
  expect(made === undefined).toBe(isStale);
  if (made !== undefined) await take(real, made, batch);
  return isStale ? 'stale' : 'done';
}

/** Nobody else could decide while `work` runs. */
async function whileAlone({ deps }: TestWorld, { userId }: { readonly userId: string }, work: () => Promise<void>) {
  const set = (at: Date | null) =>
    sql`UPDATE staff_member SET disabled_at = ${at} WHERE user_id = ${userId}`.execute(deps.db);
  await set(deps.clock.now());
  await work();
  await set(null);
}

const ends = ['approved', 'approved', 'at the machine', 'alone', 'declined', 'withdrawn', 'left open'] as const;

const issue = fc
  .record({
    count: fc.integer({ min: 1, max: 4 }),
    usdCents: fc.integer({ min: 1, max: 2_500 }),
    hasEnd: fc.boolean(),
    end: fc.constantFrom(...ends),
  })
  .map(({ count, usdCents, hasEnd, end: what }) =>
    command(`issueByMember(${count} x ${usdCents}, ${hasEnd}, ${what})`, async (_model, real) => {
      const { deps } = real.world;
      const [one, two] = await membersOf(real.world);
      const cards = cardsOf(real);
      const at = nowOf(real);
      const batch = { count, usdCents, end: hasEnd ? at + DAY_MS : null };
      const expires = batch.end === null ? null : new Date(batch.end).toISOString();
      const order = { cards: { count, usd_cents: usdCents, note: '', expires }, reason: 'model' };
      const isSmall = count * usdCents <= leftCents(cards, at);
      const { outcome, id } = await requestBatch(deps, { actor: one, ...order });
      expect(outcome).toBe(isSmall ? 'done' : 'proposed');
      if (isSmall) {
        cards.alone.push({ at, usdCents: count * usdCents });
        return await take(real, id, batch);
      }
      const proposal = { ...batch, id, at };
      const attempt = () => codeOf(approveAct(deps, { actor: one, id }, performers(deps)));
      if (what === 'alone')
        return await whileAlone(real.world, two, async () => {
          expect(await attempt()).toBe('proposal_waits');
          real.clock.advance(DAY_MS);
          if ((await approve(real, one, id, batch)) === 'stale') cards.open.push(proposal);
        });
      expect(await attempt()).toBe('proposal_own');
      if (what === 'approved') await approve(real, two, id, batch);
      if (what === 'at the machine') await approve(real, actor, id, batch);
      if (what === 'declined') await declineAct(deps, { actor: two, id, reason: 'model' });
      if (what === 'withdrawn') await withdrawAct(deps, { actor: one, id, reason: 'model' });
      if (what === 'left open') cards.open.push(proposal);
    }),
  );

const approveLater = fc.nat({ max: 50 }).map((which) =>
  command(`approveCards(${which})`, async (_model, real) => {
    const { open } = cardsOf(real);
    const proposal = open[which % Math.max(1, open.length)];
    if (!proposal) return;
    const { id, at } = proposal;
    const { deps } = real.world;
    const [, two] = await membersOf(real.world);
    if (nowOf(real) < at + OPEN_MS) {
      if ((await approve(real, two, id, proposal)) === 'stale') return;
    } else expect(await codeOf(approveAct(deps, { actor: two, id }, performers(deps)))).toBe('proposal_over');
    open.splice(open.indexOf(proposal), 1);
  }),
);

const redeem = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 200 })).map(([who, which]) =>
  command(`redeemIssued(${who}, ${which})`, async (model, real) => {
    const { codes } = cardsOf(real);
    const [card] = codes.splice(which % Math.max(1, codes.length), 1);
    // What became of cards whose end is over: gift-cards.test.ts.
    if (!card || isOver(card, nowOf(real))) return;
    const order = { userId: real.people[who]?.id as string, code: card.code };
    const attempt = () => codeOf(redeemGiftCard(real.world.deps, order));
    expect((await Promise.all([attempt(), attempt()])).includes(undefined)).toBe(true);
    const worth = Math.floor((card.usdCents * TEST_RATE) / 100);
    credit(model.people[who] as ModelUser, worth, worth);
  }),
);

export const cardCommands: fc.Arbitrary<MoneyCommand>[] = [issue, issue, approveLater, redeem, redeem];

/** Whether members have issued what the model says, and each approval one batch. */
export async function compareCards(world: TestWorld): Promise<void> {
  const { rows } = await sql<{ count: number; cents: number; approvals: number; batches: number }>`
    SELECT count(c.id)::int AS count, coalesce(sum(c.face_usd_cents), 0)::int AS cents,
      (SELECT count(*)::int FROM approval WHERE state = 'done') AS approvals,
      count(DISTINCT b.approval_id)::int AS batches
    FROM gift_card_batch b JOIN gift_card c ON c.batch_id = b.id
    WHERE b.approval_id IS NOT NULL OR b.alone_usd_cents IS NOT NULL
  `.execute(world.deps.db);
  const [found] = rows;
  const issued = desks.get(world)?.issued ?? { count: 0, usdCents: 0 };
  expect({ count: found?.count, usdCents: found?.cents }).toEqual(issued);
  expect(found?.batches).toBe(found?.approvals);
}

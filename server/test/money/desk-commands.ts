import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { approveProposal, declineProposal, withdrawProposal } from '../../src/modules/wallet/decide-proposal.ts';
import { proposeForgiving, type Requested, requestAdjustment } from '../../src/modules/wallet/propose-correction.ts';
import { requestCredit } from '../../src/modules/wallet/propose-credit.ts';
import type { StaffActor } from '../../src/platform/audit.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { actor, type TestWorld } from '../world.ts';
import { command, finishRefund, type MoneyCommand, type Real } from './commands.ts';
import { credit, free, MIN_REFUND, type Model, type ModelUser, refundable } from './model.ts';

/**
 * Staff in T-M1: small corrections at once, larger ones proposed and decided by a second member, debts given up, and refunds
 * for users, and payments that are settled by hand.
 */
const SMALL = 500_000;
const SMALL_MS = 30 * 86_400_000;
const CREDIT_ALONE = 5_000_000;
const OPEN_MS = 72 * 3_600_000;

interface Desk {
  /** Per user, what was corrected without a second member. */
  readonly small: Map<number, { readonly at: number; readonly size: number }[]>;
  readonly open: { readonly id: string; readonly user: number; readonly amount: number; readonly at: number }[];
}

const desks = new WeakMap<Model, Desk>();
const members = new WeakMap<TestWorld, Promise<readonly [StaffActor, StaffActor]>>();

function deskOf(model: Model): Desk {
  const desk = desks.get(model) ?? { small: new Map(), open: [] };
  desks.set(model, desk);
  return desk;
}

/** Two of finance: one proposes, the other decides. */
export async function membersOf(world: TestWorld): Promise<readonly [StaffActor, StaffActor]> {
  const add = async (email: string): Promise<StaffActor> => {
    return { kind: 'staff', userId: (await addMember(world.deps, { actor, email, role: 'finance' })).userId };
  };
  const both =
    members.get(world) ?? add('one@staff.example').then(async (one) => [one, await add('two@staff.example')] as const);
  members.set(world, both);
  return await both;
}

export async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const who = fc.nat({ max: 2 });
const nowOf = (real: Real) => real.clock.now().getTime();
const ends = ['approved', 'declined', 'withdrawn', 'left open'] as const;

const adjustByMember = fc
  .tuple(who, fc.integer({ min: -700_000, max: 700_000 }), fc.constantFrom(...ends))
  .map(([at, amount, end]) =>
    command(`adjustByMember(${at}, ${amount}, ${end})`, async (model, real) => {
      if (amount === 0) return;
      const { deps } = real.world;
      const [one, two] = await membersOf(real.world);
      const user = model.people[at] as ModelUser;
      const desk = deskOf(model);
      const small = desk.small.get(at) ?? [];
      const recent = small.filter((past) => past.at > nowOf(real) - SMALL_MS).reduce((sum, { size }) => sum + size, 0);
      const isSmall = recent + Math.abs(amount) <= SMALL;
      const order = { actor: one, userId: real.people[at]?.id as string, amountToman: BigInt(amount), reason: 'model' };
      let requested: Requested | undefined;
      const code = await codeOf(
        requestAdjustment(deps, order).then((answer) => {
          requested = answer;
        }),
      );
      expect(code).toBe(free(user) + amount < 0 ? 'adjust_beyond_balance' : undefined);
      if (!requested) return;
      expect(requested.outcome).toBe(isSmall ? 'done' : 'proposed');
      if (requested.outcome === 'done') {
        desk.small.set(at, [...small, { at: nowOf(real), size: Math.abs(amount) }]);
        credit(user, amount, amount);
        return;
      }
      const { id } = requested;
      if (end === 'left open') desk.open.push({ id, user: at, amount, at: nowOf(real) });
      if (end === 'declined') await declineProposal(deps, { actor: two, id, reason: 'model' });
      if (end === 'withdrawn') await withdrawProposal(deps, { actor: one, id, reason: 'model' });
      if (end !== 'approved') return;
      expect(await codeOf(approveProposal(deps, { actor: one, id }))).toBe('proposal_own');
      // Twice at once: one of them does it.
      const approve = () => codeOf(approveProposal(deps, { actor: two, id }));
      expect((await Promise.all([approve(), approve()])).sort()).toEqual(['proposal_over', undefined]);
      credit(user, amount, amount);
    }),
  );

const approveLater = fc.nat({ max: 50 }).map((which) =>
  command(`approveLater(${which})`, async (model, real) => {
    const { open } = deskOf(model);
    const proposal = open[which % Math.max(1, open.length)];
    if (!proposal) return;
    const [, two] = await membersOf(real.world);
    const user = model.people[proposal.user] as ModelUser;
    const code = await codeOf(approveProposal(real.world.deps, { actor: two, id: proposal.id }));
    const isOver = nowOf(real) >= proposal.at + OPEN_MS;
    expect(code).toBe(
      isOver ? 'proposal_over' : free(user) + proposal.amount < 0 ? 'adjust_beyond_balance' : undefined,
    );
    if (code === 'adjust_beyond_balance') return;
    open.splice(open.indexOf(proposal), 1);
    if (code === undefined) credit(user, proposal.amount, proposal.amount);
  }),
);

const forgive = who.map((at) =>
  command(`forgive(${at})`, async (model, real) => {
    const [one, two] = await membersOf(real.world);
    const user = model.people[at] as ModelUser;
    const order = { actor: one, userId: real.people[at]?.id as string, reason: 'model' };
    let requested: Requested | undefined;
    const code = await codeOf(
      proposeForgiving(real.world.deps, order).then((answer) => {
        requested = answer;
      }),
    );
    expect(code).toBe(user.owed === 0 ? 'nothing_owed' : undefined);
    if (requested?.outcome !== 'proposed') return;
    await approveProposal(real.world.deps, { actor: two, id: requested.id });
    user.owed = 0;
  }),
);

const refundFor = fc.tuple(fc.nat({ max: 50 }), fc.constantFrom('arrives', 'fails', 'lost')).map(([which, end]) =>
  command(`refundFor(${which}, ${end})`, async (model, real) => {
    const payment = model.payments[which % Math.max(1, model.payments.length)];
    if (!payment) return;
    const [member] = await membersOf(real.world);
    const most = refundable(model, payment, nowOf(real));
    const order = { userId: real.people[payment.user]?.id as string, paymentId: payment.id, reason: 'model' };
    const onBehalf = { actor: member, audit: real.world.deps.audit };
    const code = await codeOf(requestRefund(real.world.deps, { ...order, onBehalf }));
    expect(code === undefined).toBe(most >= MIN_REFUND);
    if (code !== undefined) return;
    (model.people[payment.user] as { wallet: number }).wallet -= most;
    payment.refundOpen = true;
    await finishRefund(model, real, payment, most, end);
  }),
);

/**
 * The bank verified a payment and its answer was lost: a member credits it by the bank's reference; beyond the limit a second one
 * decides. What the bank does not have is closed.
 */
const settleByHand = fc.tuple(fc.nat({ max: 50 }), fc.constantFrom(...ends)).map(([which, end]) =>
  command(`settleByHand(${which}, ${end})`, async (model, real) => {
    const { deps } = real.world;
    const waiting = model.payments.filter(
      ({ bank, creditedAt }) => (bank === 'verified' || bank === 'refused') && creditedAt === undefined,
    );
    const payment = waiting[which % Math.max(1, waiting.length)];
    if (!payment) return;
    const before = await sql<{ state: string; next_check_at: Date | null; ref_id: string | null }>`
      SELECT p.state, p.next_check_at, s.ref_id FROM payment p JOIN test_bank_session s ON s.order_id = p.id::text WHERE p.id = ${payment.id}
    `.execute(deps.db);
    const [known] = before.rows;
    await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${payment.id}`.execute(
      deps.db,
    );
    const [one, two] = await membersOf(real.world);
    const reference = known?.ref_id ?? 'none';
    const order = { paymentId: payment.id, reason: 'model', reference, isSameReference: false };
    if (payment.bank === 'refused') {
      const verdict = { paymentId: payment.id, outcome: 'failed', actor: one, note: 'model' } as const;
      await reviewPayment(deps, verdict);
      return;
    }
    // Twice at once: one of them does it.
    const asked = await Promise.allSettled([0, 1].map(() => requestCredit(deps, { ...order, actor: one })));
    const answers = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(answers).toHaveLength(1);
    const [requested] = answers;
    expect(requested?.outcome).toBe(payment.amount > CREDIT_ALONE ? 'proposed' : 'done');
    if (requested?.outcome === 'proposed') {
      const { id } = requested;
      if (end === 'declined') await declineProposal(deps, { actor: two, id, reason: 'model' });
      else if (end !== 'approved') await withdrawProposal(deps, { actor: one, id, reason: 'model' });
      if (end !== 'approved') {
        // The bank is asked again, as it would have been.
        await sql`
          UPDATE payment SET state = ${known?.state}, next_check_at = ${known?.next_check_at ?? null} WHERE id = ${payment.id}
        `.execute(deps.db);
        return;
      }
      const approve = () => codeOf(approveProposal(deps, { actor: two, id }));
      expect((await Promise.all([approve(), approve()])).filter((code) => code === undefined)).toHaveLength(1);
    }
    payment.creditedAt = nowOf(real);
    credit(model.people[payment.user] as ModelUser, payment.amount, 0);
  }),
);

export const deskCommands: fc.Arbitrary<MoneyCommand>[] = [
  adjustByMember,
  adjustByMember,
  approveLater,
  forgive,
  refundFor,
  settleByHand,
];

/** Corrections of members that the audit does not have with the same sum, or has although there is none. */
export async function compareWithAudit({ deps }: TestWorld): Promise<unknown[]> {
  const { rows } = await sql`
    SELECT coalesce(c.id::text, e.details ->> 'correction') AS id
    FROM (SELECT id, amount_toman, staff_id FROM wallet_correction WHERE staff_id IS NOT NULL) c
    FULL JOIN (
      SELECT details, actor FROM audit_entry
      WHERE actor_kind = 'staff' AND action IN ('accounts.adjust', 'accounts.write-off-debt')
    ) e ON e.details ->> 'correction' = c.id::text
    WHERE (e.details ->> 'amountToman')::bigint IS DISTINCT FROM c.amount_toman OR e.actor IS DISTINCT FROM c.staff_id::text
  `.execute(deps.db);
  return rows;
}

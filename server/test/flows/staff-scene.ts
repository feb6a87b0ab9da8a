import type { BulkAct, BulkState } from '@raha/contract/admin/bulk.ts';
import { type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { sql } from 'kysely';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { closeMonth, readMonth } from '../../src/modules/books/close-month.ts';
import { registerNode } from '../../src/modules/fleet/register-node.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { listCardsOfBatch } from '../../src/modules/gift-cards/list-cards.ts';
import { invoiceUsage } from '../../src/modules/invoices/invoice-usage.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { readDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { createToken } from '../../src/modules/staff/tokens.ts';
import { earnDays } from '../../src/modules/subscriptions/earn-days.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/random.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { seedPayments } from '../seed-payments.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, type TestUser, type TestWorld } from '../world.ts';

/** Members of staff, and users, payments and servers for them to act on. */
export interface StaffScene {
  readonly world: TestWorld;
  readonly colleagues: ReadonlyMap<StaffRole, { readonly member: Colleague; readonly recoveryCodes: string[] }>;
  /** A user with nothing. */
  readonly somebody: string;
  /** Owes something after a reversal. */
  readonly debtor: TestUser;
  readonly payer: TestUser;
  /** A credited payment of the payer. */
  readonly paid: string;
}

export async function openStaffScene(world: TestWorld, roles: readonly StaffRole[] = staffRoles): Promise<StaffScene> {
  const colleagues = new Map<StaffRole, { member: Colleague; recoveryCodes: string[] }>();
  for (const role of roles) {
    const member = await openColleague(world, role);
    colleagues.set(role, { member, recoveryCodes: [...member.recoveryCodes] });
  }
  const somebody = (await world.user({ usdCents: 0 })).id;
  const payer = await world.user();
  const paid = await payAndVerify(payer, 'zarinpal');
  const debtor = await world.user();
  const owed = await payAndVerify(debtor, 'zarinpal');
  await sql`
    INSERT INTO payment_reversal (payment_id, user_id, amount_toman, owed_toman, evidence, created_at)
    VALUES (${owed}, ${debtor.id}, 500, 500, '{}', now())
  `.execute(world.deps.db);
  return { world, colleagues, somebody, debtor, payer, paid };
}

let count = 0;

export function freshEmail(): string {
  count += 1;
  return `fresh${count}@staff.example`;
}

export async function freshMember({ world }: StaffScene): Promise<string> {
  return (await addMember(world.deps, { actor, email: freshEmail(), role: 'support' })).userId;
}

export async function freshUser({ world }: StaffScene): Promise<string> {
  return (await world.user({ usdCents: 0 })).id;
}

export async function suspendedUser(scene: StaffScene): Promise<string> {
  const id = await freshUser(scene);
  await sql`UPDATE users SET status = 'suspended' WHERE id = ${id}`.execute(scene.world.deps.db);
  return id;
}

/** As if this member, or somebody who is none, had proposed it. */
export async function freshProposal({ world, somebody }: StaffScene, proposedBy: string): Promise<string> {
  const now = world.deps.clock.now();
  const id = newId(now);
  await sql`
    INSERT INTO correction_proposal (id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at)
    VALUES (${id}, ${somebody}, 'adjustment', 10, 'a gift', ${proposedBy}, ${now}, ${now}::timestamptz + interval '1 day')
  `.execute(world.deps.db);
  return id;
}

/** A batch of gift cards, as if this member, or somebody who is none, had proposed it. */
export async function freshApproval({ world }: StaffScene, proposedBy: string): Promise<string> {
  const now = world.deps.clock.now();
  const id = newId(now);
  const payload = JSON.stringify({ count: 2, usd_cents: 500, expires: null, note: '' });
  await sql`
    INSERT INTO approval (id, act, payload, reason, proposed_by, proposed_at, expires_at)
    VALUES (${id}, 'cards', ${payload}::jsonb, 'for a shop', ${proposedBy}, ${now}, ${now}::timestamptz + interval '1 day')
  `.execute(world.deps.db);
  return id;
}

/** A planned price. */
export async function freshPrice({ world }: StaffScene): Promise<string> {
  const now = world.deps.clock.now();
  const id = newId(now);
  plannedDays += 1;
  await sql`
    INSERT INTO price_version (id, usd_cents_per_gb, valid_from, created_at)
    VALUES (${id}, 5, ${addDays(now, plannedDays)}, ${now})
  `.execute(world.deps.db);
  return id;
}
let plannedDays = 0;

/** A planned version of a plan. */
export async function freshPlanVersion({ world }: StaffScene): Promise<string> {
  const now = world.deps.clock.now();
  const id = newId(now);
  plannedDays += 1;
  await sql`
    INSERT INTO plan_version (id, plan_id, price_toman, duration_days, max_devices, valid_from, created_at)
    VALUES (${id}, 'premium', 5, 30, 1, ${addDays(now, plannedDays)}, ${now})
  `.execute(world.deps.db);
  return id;
}

/** Another price of a plan, with what a change of it has to have seen. */
export async function nextPlanPrice({ world }: StaffScene): Promise<{ price: number; seen: number }> {
  const { rows } = await sql<{ price: bigint; seen: number }>`
    SELECT price_toman + 1000 AS price, revision AS seen FROM plan WHERE id = 'business'
  `.execute(world.deps.db);
  return { price: Number(rows[0]?.price), seen: rows[0]?.seen ?? 0 };
}

/** The newest version that was not cancelled, which a change has to name. */
export async function newestPrice({ world }: StaffScene): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM price_version WHERE cancelled_at IS NULL ORDER BY valid_from DESC LIMIT 1
  `.execute(world.deps.db);
  return rows[0]?.id ?? null;
}

/** A batch of gift cards, and one of them. */
export async function freshBatch({ world: { deps } }: StaffScene) {
  const { batchId: id } = await issueGiftCards(deps, { count: 2, usdCents: 500, keepForExport: true });
  const [card] = await listCardsOfBatch(deps.db, id, deps.clock.now());
  return { id, card: card as NonNullable<typeof card> };
}

/** The bytes of a settlement file of one line that fits no payment, another one each time, and its days. */
export function freshSettlementFile({ world }: StaffScene) {
  count += 1;
  const day = addDays(world.deps.clock.now(), -1).toISOString().slice(0, 10);
  const text = `ref_id,amount (rial),fee (rial),payout,date\nF${count},500000,5000,P${count},${day}`;
  return { name: `${count}.csv`, bytes: Buffer.from(text), from: day, to: day };
}

/** A difference that is open. */
export async function freshDifference(scene: StaffScene): Promise<string> {
  const { deps } = scene.world;
  await importSettlementFile(deps, { actor, gateway: 'zarinpal', ...freshSettlementFile(scene), isForced: true });
  const found = await readDifferences(deps.db, { gateway: 'zarinpal', all: false });
  return found.at(-1)?.id ?? '';
}

/** A bulk of one user at that point; of an ended one, it is done. No worker goes on with it: it begins next year. */
export async function freshBulk({ world, somebody }: StaffScene, act: BulkAct, state: BulkState): Promise<string> {
  const { db, clock } = world.deps;
  const now = clock.now();
  const id = newId(now);
  const isDone = state === 'done';
  await sql`
    INSERT INTO bulk (id, act, reason, actor_kind, actor, ordered_at, starts_at, state, people, done, ended_at, each_toman, message)
    VALUES (${id}, ${act}, 'an attack', 'command-line', 'root', ${now}, ${addDays(now, 365)}, ${state}, 1, ${isDone ? 1 : 0},
      ${isDone ? now : null}, ${act === 'credit' ? 10 : null}, ${act === 'credit' ? 'x' : null})
  `.execute(db);
  await sql`
    INSERT INTO bulk_item (bulk_id, user_id, state, at) VALUES (${id}, ${somebody}, ${isDone ? 'done' : 'open'}, ${isDone ? now : null})
  `.execute(db);
  return id;
}

/** A month that is over, with something booked in it; all months before it are closed. Long before those of the scene. */
export async function freshMonth({ world, payer }: StaffScene): Promise<string> {
  const { deps } = world;
  const nameOf = (number: number) => `1400-${String(number).padStart(2, '0')}`;
  const made = monthsMade.get(world) ?? 0;
  if (made > 0) await closeMonth(deps, { actor, month: nameOf(made) });
  monthsMade.set(world, made + 1);
  const month = nameOf(made + 1);
  const then = { ...deps, clock: manualClock(new Date(`${readMonth(month).from}T12:00:00Z`)) };
  await seedPayments({ deps: then }, payer.id, 'zarinpal', [{ amountToman: 20_000n, at: then.clock.now() }]);
  // What closing does before, which the schedules would have done.
  while ((await earnDays(deps)) > 0);
  while ((await invoiceUsage(deps)) > 0);
  return month;
}
/** For each world: test files share this module, and each has a database of its own. */
const monthsMade = new WeakMap<TestWorld, number>();

/** What configs.perUser is, after it was set to something else than it begins with, and another value for it. */
export async function anotherValue({ world }: StaffScene): Promise<{ expected: number; value: number }> {
  await setSettingByKey(world.deps.db, 'configs.perUser', '7', world.deps.clock.now());
  return { expected: 7, value: 8 };
}

/** A payment that waits for the operator. */
export async function waitingPayment({ world, payer }: StaffScene): Promise<string> {
  const id = await payAtBank(payer, 'zarinpal');
  await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${id}`.execute(world.deps.db);
  return id;
}

/** A refund that waits for the operator. */
export async function waitingRefund({ world, payer }: StaffScene): Promise<string> {
  const payment = await payAndVerify(payer, 'idpay');
  await requestRefund(world.deps, { userId: payer.id, paymentId: payment });
  const { rows } = await sql<{ id: string }>`
    UPDATE refund SET route = 'hand' WHERE payment_id = ${payment} RETURNING id
  `.execute(world.deps.db);
  return rows[0]?.id ?? '';
}

export async function freshNode({ world }: StaffScene): Promise<{ readonly id: string; readonly name: string }> {
  count += 1;
  const name = `node-${count}`;
  return { id: (await registerNode(world.deps, { actor, name, country: 'DE', city: 'Berlin' })).nodeId, name };
}

/** One that has reported just now, and does not wait for questions. */
export async function onlineNode(scene: StaffScene): Promise<{ readonly id: string; readonly name: string }> {
  const node = await freshNode(scene);
  const { db, clock } = scene.world.deps;
  await sql`
    INSERT INTO node_presence (node_id, seen_at, tunnels_up) VALUES (${node.id}, ${clock.now()}, true)
  `.execute(db);
  return node;
}

export async function freshToken({ world, colleagues }: StaffScene): Promise<string> {
  const userId = colleagues.get('super_admin')?.member.userId ?? '';
  const order = { actor, userId, name: 'a script', scopes: ['fleet.read'], days: 30 } as const;
  return (await createToken(world.deps, order)).id;
}

export async function freshAlert({ world }: StaffScene): Promise<string> {
  const now = world.deps.clock.now();
  const id = newId(now);
  await sql`
    INSERT INTO alert (id, rule, cause, severity, began_at, seen_at, opened_at)
    VALUES (${id}, 'node_silent', ${id}, 'page', ${now}, ${now}, ${now})
  `.execute(world.deps.db);
  return id;
}

/** A password link that was sent to somebody new. */
export async function sentLink({ world }: StaffScene): Promise<string> {
  const { id: userId } = await world.user({ usdCents: 0 });
  const now = world.deps.clock.now();
  const id = newId(now);
  await sql`
    INSERT INTO delivery (id, user_id, channel, kind, state, attempts, first_at, at)
    VALUES (${id}, ${userId}, 'mail', 'password_link', 'sent', 1, ${now}, ${now})
  `.execute(world.deps.db);
  return id;
}

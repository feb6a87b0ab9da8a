import type { Proposal } from '@raha/contract/admin/money.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import type { Command, Context } from '../../src/cli/context.ts';
import { paymentCommands } from '../../src/cli/payment-commands.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { checkForReversal } from '../../src/modules/payments/reverse-payment.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { payAndVerify } from '../bank.ts';
import { adjust, walletOf } from '../money/bench.ts';
import { type Colleague, openColleague, signFor } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** Corrections, forgiving and refunds by staff: what one member may, what needs a second one, and one who is alone. */

const clock = manualClock(new Date());
let world: TestWorld;
let boss: Colleague;
let support: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
  support = await openColleague(world, 'support');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const LIMIT = 500_000;
const post = (member: Colleague, path: string, body: unknown) => member.browser.post(`/admin${path}`, body);
const adjustBy = (member: Colleague, user: TestUser, toman: number, reason = 'the bank was late') =>
  post(member, `/people/${user.id}/adjust`, { toman, reason });
const actsOn = async (user: TestUser) =>
  (await listEntries(world.deps.db, { target: { kind: 'user', id: user.id } }, 20)).map(({ action }) => action);
async function proposals(member = boss): Promise<Proposal[]> {
  const { status, body } = await member.browser.call('GET', '/admin/proposals');
  expect(status).toBe(200);
  return (body.data as { proposals: Proposal[] }).proposals;
}
async function propose(member: Colleague, user: TestUser, toman = LIMIT + 1): Promise<string> {
  const { body } = await adjustBy(member, user, toman);
  expect(body.data).toMatchObject({ outcome: 'proposed', id: expect.any(String) });
  return (body.data as { id: string }).id;
}
const prove = async (member: Colleague) =>
  expect((await signFor(member.browser, member.device, '/admin/proof/passkey', '/admin/proof')).status).toBe(200);

describe('a small correction', () => {
  test('is done at once, once, kept with who and why, and told', async () => {
    const user = await world.user({ usdCents: 100 });
    expect(await adjustBy(support, user, 20_000)).toMatchObject({ status: 200, body: { data: { outcome: 'done' } } });
    expect(await walletOf(world, user.id)).toBe(100_000);
    expect(await adjustBy(support, user, -30_000)).toMatchObject({ status: 200 });
    expect(await walletOf(world, user.id)).toBe(70_000);
    expect(await actsOn(user)).toEqual(['accounts.adjust', 'accounts.adjust']);
    const [entry] = await listEntries(world.deps.db, { actor: support.userId, action: 'accounts.adjust' }, 1);
    expect(entry).toMatchObject({ reason: 'the bank was late', details: { amountToman: -30_000 } });
    const { notifications } = (await user.api.listNotifications()).data;
    expect(notifications.filter(({ kind }) => kind === 'balance_adjusted')).toHaveLength(2);
    expect((await user.api.listOperatorActions()).data.actions[0]?.kind).toBe('balance_adjusted');
  });

  test('sent again with its key is done once', async () => {
    const user = await world.user({ usdCents: 0 });
    const send = async () =>
      await fetch(`${world.origin}/api/v1/admin/people/${user.id}/adjust`, {
        method: 'POST',
        headers: {
          ...{ cookie: support.browser.cookies(), 'x-raha-console': '1', 'content-type': 'application/json' },
          'idempotency-key': 'one-click',
        },
        body: JSON.stringify({ toman: 1_000, reason: 'twice' }),
      });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await walletOf(world, user.id)).toBe(1_000);
    expect(await actsOn(user)).toEqual(['accounts.adjust']);
  });

  test('is refused without a reason, a sum, a proof within five minutes, or more than there is', async () => {
    const user = await world.user({ usdCents: 100 });
    expect((await adjustBy(support, user, 5, ' ')).status).toBe(422);
    expect((await adjustBy(support, user, 0)).status).toBe(422);
    expect((await adjustBy(support, user, 0.5)).status).toBe(422);
    const tooMuch = await adjustBy(support, user, -80_001);
    expect(tooMuch).toMatchObject({ status: 409, body: { code: 'adjust_beyond_balance' } });
    expect(tooMuch.body.message).toContain('۸۰٬۰۰۰');
    clock.advance(5 * 60_000 + 1);
    expect(await adjustBy(support, user, 5)).toMatchObject({ status: 401, body: { code: 'proof_needed' } });
    await prove(support);
    await prove(boss);
    expect((await adjustBy(support, user, 5)).status).toBe(200);
    expect(await walletOf(world, user.id)).toBe(80_005);
  });

  test('of the own account is refused, and of nobody not found', async () => {
    const own = { id: boss.userId } as TestUser;
    expect(await adjustBy(boss, own, 5)).toMatchObject({ status: 409, body: { code: 'staff_own_account' } });
    const nobody = { id: '00000000-0000-7000-8000-ffffffffffff' } as TestUser;
    expect((await adjustBy(boss, nobody, 5)).status).toBe(404);
  });
});

describe('beyond the limit', () => {
  test('small ones of all members add up within 30 days, in either direction', async () => {
    const user = await world.user({ usdCents: 0 });
    expect((await adjustBy(support, user, LIMIT - 100)).body.data).toMatchObject({ outcome: 'done' });
    expect((await adjustBy(boss, user, -100)).body.data).toMatchObject({ outcome: 'done' });
    await propose(boss, user, 1);
    clock.advance(31 * 86_400_000);
    support = await openColleague(world, 'support');
    boss = await openColleague(world, 'super_admin');
    expect((await adjustBy(support, user, 1)).body.data).toMatchObject({ outcome: 'done' });
  });

  test('a second member does what was proposed, once; the proposer does not', async () => {
    const user = await world.user({ usdCents: 0 });
    const id = await propose(boss, user);
    expect(await walletOf(world, user.id)).toBe(0);
    expect(await proposals()).toContainEqual(
      expect.objectContaining({ id, state: 'open', is_own: true, amount: LIMIT + 1, proposed_by: boss.email }),
    );
    const second = await openColleague(world, 'finance');
    expect(await post(boss, `/proposals/${id}/approve`, {})).toMatchObject({
      ...{ status: 409, body: { code: 'proposal_own' } },
    });
    expect((await post(support, `/proposals/${id}/approve`, {})).status).toBe(403);
    const both = await Promise.all([0, 1].map(() => post(second, `/proposals/${id}/approve`, {})));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await walletOf(world, user.id)).toBe(LIMIT + 1);
    expect(await actsOn(user)).toEqual(['accounts.adjust', 'accounts.propose-correction']);
    const [entry] = await listEntries(world.deps.db, { action: 'accounts.adjust' }, 1);
    expect(entry).toMatchObject({
      ...{ actor: second.userId, details: { proposal: id, proposedBy: boss.userId, alone: false } },
    });
    await disableMember(world.deps, { actor, userId: second.userId });
  });

  test('is declined by another, or withdrawn by its proposer alone; then it is over', async () => {
    const user = await world.user({ usdCents: 0 });
    const declined = await propose(support, user);
    const withdrawn = await propose(support, user);
    expect((await post(boss, `/proposals/${declined}/decline`, { reason: 'too much' })).status).toBe(200);
    expect((await post(boss, `/proposals/${withdrawn}/withdraw`, { reason: 'mine?' })).status).toBe(404);
    expect((await post(support, `/proposals/${withdrawn}/withdraw`, { reason: 'a mistake' })).status).toBe(200);
    for (const id of [declined, withdrawn])
      expect(await post(boss, `/proposals/${id}/approve`, {})).toMatchObject({
        ...{ status: 409, body: { code: 'proposal_over' } },
      });
    expect(await walletOf(world, user.id)).toBe(0);
  });

  test('what no longer fits the wallet is refused, and stays open', async () => {
    const user = await world.user({ usdCents: 0 });
    await adjust(world, user.id, 700_000);
    const id = await propose(support, user, -600_000);
    await adjust(world, user.id, -200_000);
    expect(await post(boss, `/proposals/${id}/approve`, {})).toMatchObject({
      ...{ status: 409, body: { code: 'adjust_beyond_balance' } },
    });
    expect((await proposals()).find((known) => known.id === id)?.state).toBe('open');
    expect(await walletOf(world, user.id)).toBe(500_000);
  });

  test('one who is alone waits a day of the clock, and the audit says so; three days later it is over', async () => {
    const user = await world.user({ usdCents: 0 });
    const others = await sql<{ user_id: string }>`
      SELECT user_id FROM staff_member
      WHERE role IN ('super_admin', 'finance') AND disabled_at IS NULL AND user_id <> ${boss.userId}
    `.execute(world.deps.db);
    for (const { user_id: userId } of others.rows) await disableMember(world.deps, { actor, userId });
    const id = await propose(boss, user);
    const late = await propose(boss, user);
    const early = await post(boss, `/proposals/${id}/approve`, {});
    expect(early).toMatchObject({ status: 409, body: { code: 'proposal_waits' } });
    expect(early.body.message).toContain('۲۴');
    const from = (await proposals()).find((known) => known.id === id)?.alone_from ?? '';
    clock.advance(Date.parse(from) - clock.now().getTime() - 1);
    await renew(boss);
    expect((await post(boss, `/proposals/${id}/approve`, {})).status).toBe(409);
    clock.advance(1);
    expect((await post(boss, `/proposals/${id}/approve`, {})).status).toBe(200);
    expect(await walletOf(world, user.id)).toBe(LIMIT + 1);
    const [entry] = await listEntries(world.deps.db, { action: 'accounts.adjust' }, 1);
    expect(entry?.details).toMatchObject({ proposal: id, alone: true });
    clock.advance(48 * 3_600_000);
    await renew(boss);
    expect(await post(boss, `/proposals/${late}/approve`, {})).toMatchObject({ body: { code: 'proposal_over' } });
    expect((await proposals()).find((known) => known.id === late)?.state).toBe('expired');
  });

  test('the database refuses a proposer who decides without the mark, whatever the program does', async () => {
    const user = await world.user({ usdCents: 0 });
    await renew(boss);
    const id = await propose(boss, user);
    const done = sql`
      UPDATE correction_proposal SET state = 'done', decided_by = proposed_by, decided_at = now() WHERE id = ${id}
    `.execute(world.deps.db);
    await expect(done).rejects.toThrow(/correction_proposal_two_members/);
  });

  test('the limit is a setting', async () => {
    const user = await world.user({ usdCents: 0 });
    await setSettingByKey(world.deps.db, 'approvals.smallToman', '10', clock.now());
    await propose(boss, user, 11);
    expect((await adjustBy(boss, user, 10)).body.data).toMatchObject({ outcome: 'done' });
    await setSettingByKey(world.deps.db, 'approvals.smallToman', String(LIMIT), clock.now());
  });
});

describe('what is owed after a reversal', () => {
  test('is given up by two, at the sum that was proposed', async () => {
    const finance = await openColleague(world, 'finance');
    await renew(boss);
    const user = await world.user({ usdCents: 1 });
    expect(await post(boss, `/people/${user.id}/forgive`, { reason: 'a gift' })).toMatchObject({
      ...{ status: 409, body: { code: 'nothing_owed' } },
    });
    const payment = await payAndVerify(user, 'zarinpal', 50_000);
    await adjust(world, user.id, -40_800);
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${payment}`.execute(world.deps.db);
    await checkForReversal(world.deps, payment);
    const asked = await post(boss, `/people/${user.id}/forgive`, { reason: 'the shop was robbed' });
    const { id } = asked.body.data as { id: string };
    expect((await proposals()).find((known) => known.id === id)).toMatchObject({ kind: 'debt', amount: 40_000 });
    expect((await post(finance, `/proposals/${id}/approve`, {})).status).toBe(200);
    expect(await actsOn(user)).toEqual(['accounts.write-off-debt', 'accounts.propose-correction']);
    const facts = (await boss.browser.call('GET', `/admin/people/${user.id}`)).body.data;
    expect(facts).toMatchObject({ balance: { owed: 0 } });
  });
});

describe('a refund for a user', () => {
  test('follows the user’s own rules, is kept, and happens once', async () => {
    const user = await world.user();
    const payment = await payAndVerify(user, 'zarinpal', 50_000);
    const path = `/people/${user.id}/payments/${payment}/refund`;
    await renew(boss);
    await renew(support);
    expect((await post(support, path, { reason: 'they asked' })).status).toBe(403);
    expect(await post(boss, path, { toman: 50_001, reason: 'they asked' })).toMatchObject({
      ...{ status: 422, body: { code: 'refund_too_large' } },
    });
    expect((await post(boss, path, { toman: 20_000, reason: 'they asked' })).status).toBe(200);
    expect(await post(boss, path, { reason: 'again' })).toMatchObject({
      ...{ status: 409, body: { code: 'refund_started' } },
    });
    const other = await world.user();
    expect((await post(boss, `/people/${other.id}/payments/${payment}/refund`, { reason: 'x y z' })).status).toBe(404);
    const target = { kind: 'payment', id: payment };
    expect(await listEntries(world.deps.db, { target }, 5)).toMatchObject([
      { ...{ action: 'refunds.request', actor: boss.userId, reason: 'they asked' }, details: { amountToman: 20_000 } },
    ]);
    expect((await user.api.listOperatorActions()).data.actions[0]?.kind).toBe('refund_settled');
  });
});

test('the command line requests the same refund, with the name that was given', async () => {
  const user = await world.user();
  const payment = await payAndVerify(user, 'zarinpal', 50_000);
  const request = paymentCommands['refunds request'] as Command;
  const run = async (flags: Context['flags']) =>
    await request.run({ ...world.deps, flags: { by: 'Maryam', note: 'they asked', ...flags }, positionals: [] });
  await expect(run({ payment: user.id })).rejects.toThrow(/no payment/);
  expect(await run({ payment, toman: '20000' })).toMatchObject({ data: { payment } });
  const target = { kind: 'payment', id: payment };
  expect(await listEntries(world.deps.db, { target }, 5)).toMatchObject([
    { action: 'refunds.request', actor_kind: 'command-line', operator: 'Maryam', reason: 'they asked' },
  ]);
});

test('a member who was disabled meanwhile moves nothing', async () => {
  const user = await world.user({ usdCents: 0 });
  const finance = await openColleague(world, 'finance');
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM staff_session WHERE user_id = ${finance.userId}
  `.execute(world.deps.db);
  expect(rows).toHaveLength(1);
  await disableMember(world.deps, { actor, userId: finance.userId });
  expect((await adjustBy(finance, user, 5)).status).toBe(401);
  expect(await walletOf(world, user.id)).toBe(0);
});

/** As after signing in again: the clock went on for days. */
async function renew({ userId }: Colleague): Promise<void> {
  await sql`
    UPDATE staff_session SET created_at = ${clock.now()}, last_used_at = ${clock.now()}, proved_at = ${clock.now()},
      expires_at = ${new Date(clock.now().getTime() + 3_600_000)}
    WHERE user_id = ${userId}
  `.execute(world.deps.db);
}

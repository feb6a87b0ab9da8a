import type { Proposal } from '@raha/contract/admin/money.ts';
import type { PaymentFacts, PaymentLine, StaffRefund } from '@raha/contract/admin/payments.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { walletOf } from '../money/bench.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** Payments and refunds at the console: lists, the bank’s evidence, and what is settled by hand. */

let world: TestWorld;
let finance: Colleague;
let auditor: Colleague;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ restores: false, overrides: { minuteLimit: unlimited } });
  finance = await openColleague(world, 'finance');
  auditor = await openColleague(world, 'auditor');
  user = await world.user({ usdCents: 100 });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

interface Page {
  readonly payments: PaymentLine[];
  readonly next: string | null;
  readonly waiting: { readonly payments: number; readonly refunds: number };
}

const post = (path: string, body: unknown, member = finance) => member.browser.post(`/admin${path}`, body);
async function read<T>(path: string, member = auditor): Promise<T> {
  const { status, body } = await member.browser.call('GET', `/admin${path}`);
  expect(status).toBe(200);
  return body.data as T;
}
const list = (query = '') => read<Page>(`/payments${query}`);
const factsOf = (id: string) => read<PaymentFacts>(`/payments/${id}`);
const actsOn = async (id: string) =>
  (await listEntries(world.deps.db, { target: { kind: 'payment', id } }, 10)).map(({ action, reason }) => [
    action,
    reason,
  ]);

/** Paid with another amount than was asked for. */
async function mismatched(owner = user): Promise<string> {
  const id = await payAtBank(owner, 'idpay');
  await sql`UPDATE test_bank_session SET amount_rial = amount_rial - 10 WHERE order_id = ${id}`.execute(world.deps.db);
  await owner.api.verifyPayment({ params: { id } }).catch(() => undefined);
  expect((await factsOf(id)).state).toBe('needs_review');
  return id;
}

async function refundByHand(): Promise<string> {
  const payment = await payAndVerify(user, 'idpay');
  await requestRefund(world.deps, { userId: user.id, paymentId: payment });
  const { rows } = await sql<{ id: string }>`
    UPDATE refund SET route = 'hand' WHERE payment_id = ${payment} RETURNING id
  `.execute(world.deps.db);
  return rows[0]?.id ?? '';
}

describe('the list', () => {
  test('has pages, filters, masked owners, and how much waits', async () => {
    const other = await world.user({ usdCents: 100 });
    const ids: string[] = [];
    for (let n = 0; n < 28; n += 1) ids.unshift(await payAtBank(other, n % 7 === 0 ? 'nextpay' : 'zarinpal'));
    const first = await list();
    expect(first.payments.map(({ id }) => id)).toEqual(ids.slice(0, 25));
    expect(first.payments[0]?.user).toEqual({
      ...{ id: other.id, name: expect.any(String), status: 'active' },
      email: expect.stringContaining('•••'),
    });
    const second = await list(`?before=${first.next}`);
    expect(second.payments.map(({ id }) => id)).toEqual(ids.slice(25));
    expect(second.next).toBeNull();
    const nextpay = await list('?gateway=nextpay&group=open');
    expect(nextpay.payments.map(({ gateway, state }) => `${gateway} ${state}`)).toEqual(
      Array.from({ length: 4 }, () => 'nextpay redirected'),
    );
    expect((await list('?group=completed')).payments).toEqual([]);
    expect(first.waiting).toEqual({ payments: 0, refunds: 0 });
    const waiting = await mismatched();
    const page = await list('?group=waiting&gateway=idpay');
    expect(page).toMatchObject({ payments: [{ id: waiting, waits: true }], waiting: { payments: 1 } });
    expect((await list('?group=waiting&gateway=zarinpal')).payments).toEqual([]);
    expect((await list('?to=2020-01-01')).payments).toEqual([]);
    expect((await list('?from=2020-01-01')).payments).toHaveLength(25);
    await post(`/payments/${waiting}/fail`, { reason: 'sent back by hand' });
  });

  test('of a bank that never answered is among what waits', async () => {
    const id = await payAtBank(user, 'zarinpal');
    await sql`UPDATE payment SET next_check_at = NULL WHERE id = ${id}`.execute(world.deps.db);
    expect((await list('?group=waiting')).payments.map((line) => line.id)).toEqual([id]);
    expect((await post(`/payments/${id}/fail`, { reason: 'their panel has nothing' })).status).toBe(200);
    expect((await factsOf(id)).state).toBe('failed');
  });

  test('as a file has ids and no contacts; the audit keeps who took it', async () => {
    const response = await fetch(`${world.origin}/api/v1/admin/payments.csv?group=open`, {
      headers: { cookie: auditor.browser.cookies(), 'accept-language': 'en' },
    });
    expect(response.headers.get('content-type')).toContain('text/csv');
    const text = await response.text();
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toContain('payment,account,gateway,toman');
    expect(lines).toHaveLength(29);
    expect(text).not.toMatch(/@|•/);
    const [entry] = await listEntries(world.deps.db, { actor: auditor.userId, action: 'payments.export' }, 1);
    expect(entry?.details).toMatchObject({ group: 'open', payments: 28 });
  });

  test('refuses filters that are none', async () => {
    for (const query of ['?group=all', '?gateway=paypal', '?from=yesterday', '?before=x'])
      expect((await auditor.browser.call('GET', `/admin/payments${query}`)).status).toBe(422);
  });
});

describe('beyond what one member may credit', () => {
  let second: Colleague;
  const order = { reference: '4410', reason: 'their panel shows all of it' };
  const large = async (owner = user) => {
    const id = await payAtBank(owner, 'idpay', 60_000);
    await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${id}`.execute(world.deps.db);
    return id;
  };
  const proposalsOf = async (id: string) => {
    const { proposals } = await read<{ proposals: Proposal[] }>('/proposals', finance);
    return proposals.filter(({ payment }) => payment === id);
  };

  beforeAll(async () => {
    second = await openColleague(world, 'finance');
    await setSettingByKey(world.deps.db, 'approvals.creditToman', '50000', world.deps.clock.now());
  });

  test('a second one decides, and does what was proposed, once', async () => {
    const owner = await world.user({ usdCents: 100 });
    const id = await large(owner);
    const asked = await Promise.all([0, 1].map(() => post(`/payments/${id}/credit`, order)));
    expect(asked.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 'payment_proposed']);
    const [proposal] = await proposalsOf(id);
    expect(proposal).toMatchObject({
      ...{ kind: 'credit', state: 'open', amount: 60_000, is_own: true, reference: '4410' },
      proposed_by: finance.email,
    });
    // The payment's page says so, to those who only read as well.
    const waits = { proposed_by: finance.email, proposed_at: proposal?.proposed_at, expires_at: proposal?.expires_at };
    expect((await factsOf(id)).credit_proposal).toEqual({ ...order, ...waits });
    expect(await walletOf(world, owner.id)).toBe(80_000);
    const approve = (member: Colleague) => post(`/proposals/${proposal?.id}/approve`, {}, member);
    expect(await approve(finance)).toMatchObject({ status: 409, body: { code: 'proposal_own' } });
    const both = await Promise.all([0, 1].map(() => approve(second)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await walletOf(world, owner.id)).toBe(140_000);
    expect(await factsOf(id)).toMatchObject({
      verdicts: [{ by: second.email, note: order.reason }],
      credit_proposal: null,
    });
    expect(await actsOn(id)).toEqual([
      ['payments.review', order.reason],
      ['payments.propose-credit', order.reason],
    ]);
    const [entry] = await listEntries(world.deps.db, { action: 'payments.review' }, 1);
    expect(entry?.details).toMatchObject({ proposal: proposal?.id, proposedBy: finance.userId, alone: false });
  });

  test('what was settled meanwhile is not credited again, nor under a reference that another payment has', async () => {
    const [closed, taken] = [await large(), await large()];
    for (const id of [closed, taken]) await post(`/payments/${id}/credit`, order);
    await post(`/payments/${closed}/fail`, { reason: 'sent back by hand' });
    for (const [id, code] of [
      [closed, 'payment_not_waiting'],
      [taken, 'payment_reference_taken'],
    ] as const) {
      const [proposal] = await proposalsOf(id);
      expect(await post(`/proposals/${proposal?.id}/approve`, {}, second)).toMatchObject({
        status: 409,
        body: { code },
      });
      await post(`/proposals/${proposal?.id}/decline`, { reason: 'it cannot be' }, second);
    }
    expect(await factsOf(taken)).toMatchObject({ state: 'needs_review', credit_proposal: null });
    const again = await post(`/payments/${taken}/credit`, { ...order, same_reference: true });
    expect(again.body.data).toMatchObject({ outcome: 'proposed' });
    const [open] = await proposalsOf(taken);
    expect((await post(`/proposals/${open?.id}/approve`, {}, second)).status).toBe(200);
    expect((await factsOf(taken)).bank_reference).toBe(`4410/${taken}`);
  });

  test('up to the limit one is enough', async () => {
    const id = await mismatched();
    const credited = await post(`/payments/${id}/credit`, { reference: '4499', reason: 'within' });
    expect(credited.body.data).toEqual({ outcome: 'done', id: null });
  });
});

describe('a payment that waits', () => {
  test('is credited by its evidence, once, with who and why; the user sees it', async () => {
    const owner = await world.user({ usdCents: 100 });
    const id = await mismatched(owner);
    const before = await factsOf(id);
    expect(before).toMatchObject({ waits: true, balance: 80_000, transfers: [], verdicts: [] });
    expect(before.answers[0]?.fields.map(({ name }) => name)).toContain('status');
    // The bank sent a hash of the card, and it is not shown.
    expect(JSON.stringify(before)).not.toMatch(/hashed|1EBE3E/);
    expect(before.answers[0]?.hidden).toBeGreaterThan(0);
    const credited = await post(`/payments/${id}/credit`, { reference: '881', reason: 'their panel shows all of it' });
    expect(credited.status).toBe(200);
    expect(await walletOf(world, owner.id)).toBe(130_000);
    const again = await post(`/payments/${id}/credit`, { reference: '881', reason: 'their panel shows all of it' });
    expect(again).toMatchObject({ status: 409, body: { code: 'payment_not_waiting' } });
    const after = await factsOf(id);
    expect(after).toMatchObject({
      ...{ state: 'completed', waits: false, bank_reference: '881', balance: 130_000 },
      verdicts: [{ by: finance.email, note: 'their panel shows all of it' }],
      transfers: [{ kind: 'wallet_charge', purpose: 'credit', entries: expect.any(Array) }],
    });
    expect(after.transfers[0]?.entries.map(({ account }) => account).sort()).toEqual([
      'gateway:idpay:clearing',
      'wallet',
    ]);
    expect(await actsOn(id)).toEqual([['payments.review', 'their panel shows all of it']]);
    const { actions } = (await owner.api.listOperatorActions()).data;
    expect(actions.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['payment_reviewed', 'looked']));
  });

  test('is not credited under the reference of another one, unless the bank gave it twice', async () => {
    const [one, two] = [await mismatched(), await mismatched()];
    expect((await post(`/payments/${one}/credit`, { reference: '90', reason: 'it is there' })).status).toBe(200);
    const taken = await post(`/payments/${two}/credit`, { reference: '90', reason: 'it is there' });
    expect(taken).toMatchObject({ status: 409, body: { code: 'payment_reference_taken' } });
    expect(taken.body.message).toContain(one);
    const twice = { reference: '90', same_reference: true, reason: 'the bank holds both' };
    expect((await post(`/payments/${two}/credit`, twice)).status).toBe(200);
    expect((await factsOf(two)).bank_reference).toBe(`90/${two}`);
  });

  test('is settled by nobody whose own it is, who may not, or who was disabled meanwhile', async () => {
    const id = await mismatched();
    for (const role of ['admin', 'support'] as const) {
      const member = await openColleague(world, role);
      expect((await post(`/payments/${id}/fail`, { reason: 'x y z' }, member)).status).toBe(403);
    }
    const leaving = await openColleague(world, 'finance');
    await sql`UPDATE payment SET user_id = ${leaving.userId} WHERE id = ${id}`.execute(world.deps.db);
    const own = await post(`/payments/${id}/fail`, { reason: 'my own one' }, leaving);
    expect(own).toMatchObject({ status: 409, body: { code: 'staff_own_account' } });
    await sql`UPDATE payment SET user_id = ${user.id} WHERE id = ${id}`.execute(world.deps.db);
    await disableMember(world.deps, { actor, userId: leaving.userId, reason: 'left' });
    expect((await post(`/payments/${id}/fail`, { reason: 'on the way out' }, leaving)).status).toBe(401);
    expect(await actsOn(id)).toEqual([]);
    expect((await factsOf(id)).waits).toBe(true);
  });

  test('is asked about at the bank, which settles nothing and is kept', async () => {
    const id = await payAtBank(user, 'zarinpal');
    const asked = await post(`/payments/${id}/ask`, {});
    expect(asked).toMatchObject({ status: 200, body: { data: { answer: 'paid' } } });
    expect((await factsOf(id)).state).toBe('redirected');
    expect(await actsOn(id)).toEqual([['payments.ask', null]]);
    await sql`UPDATE payment SET gateway_reference = NULL WHERE id = ${id}`.execute(world.deps.db);
    expect(await post(`/payments/${id}/ask`, {})).toMatchObject({ status: 409, body: { code: 'bank_not_asked' } });
    expect((await post('/payments/00000000-0000-7000-8000-ffffffffffff/ask', {})).status).toBe(404);
  });
});

describe('a refund by hand', () => {
  const queue = async () => (await read<{ refunds: StaffRefund[] }>('/refunds')).refunds;

  test('is sent, and then arrives', async () => {
    const id = await refundByHand();
    expect(await queue()).toMatchObject([{ id, route: 'hand', waits: true, amount: 50_000 }]);
    expect((await post(`/refunds/${id}/sent`, { reason: 'in their panel' })).status).toBe(422);
    expect((await post(`/refunds/${id}/sent`, { tracking: 'P-7', reason: 'in their panel' })).status).toBe(200);
    expect(await queue()).toMatchObject([{ state: 'sent', tracking: 'P-7' }]);
    expect((await post(`/refunds/${id}/confirm`, { reason: 'it arrived' })).status).toBe(200);
    expect(await queue()).toEqual([]);
    const again = await post(`/refunds/${id}/fail`, { reason: 'a mistake' });
    expect(again).toMatchObject({ status: 409, body: { code: 'refund_not_waiting' } });
    const acts = await listEntries(world.deps.db, { target: { kind: 'refund', id } }, 10);
    expect(acts.map(({ reason, actor: who }) => [reason, who])).toEqual([
      ['it arrived', finance.userId],
      ['in their panel', finance.userId],
    ]);
  });

  test('that cannot be sent returns to the wallet', async () => {
    const before = await walletOf(world, user.id);
    const id = await refundByHand();
    expect((await post(`/refunds/${id}/fail`, { reason: 'the card is closed' })).status).toBe(200);
    expect(await walletOf(world, user.id)).toBe(before + 50_000);
  });
});

test('no secret, address or number of a user is in any answer', async () => {
  const owner = await world.user({ usdCents: 100 });
  await sql`UPDATE users SET phone = '09121234567' WHERE id = ${owner.id}`.execute(world.deps.db);
  const id = await mismatched(owner);
  const answers = JSON.stringify([await list(), await factsOf(id), await read('/refunds')]);
  for (const secret of [owner.email, '09121234567', 'payment_url', 'hashed_card_no', 'test-bank'])
    expect(answers).not.toContain(secret);
});

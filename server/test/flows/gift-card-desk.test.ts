import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { batchName, type CardBatch, type CardLine, type CheckedCode } from '@raha/contract/admin/gift-cards.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { exportBatch } from '../../src/modules/gift-cards/export-batch.ts';
import { issueBatch } from '../../src/modules/gift-cards/issue-batch.ts';
import { requestBatch } from '../../src/modules/gift-cards/request-batch.ts';
import { sellBatch } from '../../src/modules/gift-cards/sell-batch.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { dumpEverything, findCanaries } from '../canaries.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** Gift cards in the console: batches, a checked code, and what is done through the use cases of the command line. */
const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
const log: string[] = [];
let world: TestWorld;
let boss: Colleague;
let finance: Colleague;
let auditor: Colleague;
/** Every answer of this file, to be searched for codes. */
const answers: string[] = [];

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log.push(chunk.toString());
      done();
    },
  });
  world = await openTestWorld({ clock, restores: false, log: createLog('debug', destination) });
  // What a second member decides: approvals.test.ts.
  await setSettingByKey(world.deps.db, 'approvals.cardsUsdCents', '100000000', clock.now());
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
  auditor = await openColleague(world, 'auditor');
});
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly data?: unknown;
}

/** A call with a factor shown just now, or so many minutes ago. */
async function call(
  member: Colleague,
  path: string,
  body?: object,
  more: { readonly minutesAgo?: number; readonly key?: string } = {},
): Promise<Answer> {
  const provedAt = new Date(clock.now().getTime() - (more.minutesAgo ?? 0) * 60_000);
  const cookie = await openStaffSession(world, member.userId, provedAt);
  const key = more.key === undefined ? {} : { 'idempotency-key': more.key };
  const response = await fetch(`${world.origin}/api/v1/admin/gift-cards${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json', ...key },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, ...(JSON.parse(text) as Omit<Answer, 'status'>) };
}

interface List {
  readonly batches: CardBatch[];
  readonly next: string | null;
  readonly outstanding: { readonly cards: number; readonly usd_cents: number };
}
const list = async (query = '') => (await call(auditor, query)).data as List;
const page = async (id: string, query = '') =>
  (await call(auditor, `/${id}${query}`)).data as { batch: CardBatch; cards: CardLine[]; next: string | null };
const order = { count: 3, usd_cents: 1_250, note: 'a shop', reason: 'an order of the shop' };
const issue = async (more: object = {}, key?: string) =>
  await call(finance, '', { ...order, ...more }, key === undefined ? {} : { key });
const idOf = ({ data }: Answer) => (data as { id: string }).id;
const entries = async (action: string) => await listEntries(world.deps.db, { action }, 100);
const check = async (code: string, member = auditor) => (await call(member, '/check', { code })).data as CheckedCode;

/** The codes of a batch, as the command line takes them out. */
async function exported(batchId: string): Promise<string[]> {
  const codes: string[] = [];
  await exportBatch(world.deps, { actor, batchId }, async (lines) => void codes.push(...lines));
  return codes;
}

test('issues a batch whose codes only the command line takes out, with who and why', async () => {
  const end = addDays(clock.now(), 90).toISOString();
  const id = idOf(await issue({ expires: end }));
  const { batches, outstanding } = await list();
  expect(batches[0]).toMatchObject({
    ...{ id, note: 'a shop', by: finance.email, codes: 'waiting', exported_at: null, cards: 3, active: 3 },
    ...{ redeemed: 0, void: 0, expired: 0, usd_cents: 3_750, outstanding_usd_cents: 3_750, credited: 0 },
  });
  expect(outstanding).toEqual({ cards: 3, usd_cents: 3_750 });
  const [entry, ...others] = await entries('gift-cards.issue');
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    ...{ actor: finance.userId, target_kind: 'batch', target_id: id, reason: order.reason },
    details: { count: 3, usdCents: 1_250, expires: end },
  });
  const codes = await exported(id);
  expect(codes).toHaveLength(3);
  expect((await page(id)).batch).toMatchObject({ codes: 'exported', exported_at: clock.now().toISOString() });
  // A user redeems one of them.
  const user = await world.user({ usdCents: 0 });
  await user.api.activateAccount({ body: { giftCardCode: codes[0] as string } });
  const { batch, cards } = await page(id);
  expect(batch).toMatchObject({ active: 2, redeemed: 1, outstanding_usd_cents: 2_500, credited: 1_000_000 });
  // Cards of one batch are in no order: their ids do not say which code was the first.
  const byCode = new Map(cards.map((card) => [card.last4, card]));
  expect(codes.map((code) => byCode.get(code.slice(-4))?.state)).toEqual(['redeemed', 'active', 'active']);
  expect(byCode.get(codes[0]?.slice(-4) ?? '')).toMatchObject({
    redeemed_at: clock.now().toISOString(),
    credited: 1_000_000,
    expires_at: end,
  });
});

test('sent again, or twice at once, it issues once', async () => {
  const before = (await entries('gift-cards.issue')).length;
  const key = randomUUID();
  const same = await Promise.all([issue({}, key), issue({}, key), issue({}, key)]);
  expect(same.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(same.map(idOf)).size).toBe(1);
  expect(await issue({ count: 4 }, key)).toMatchObject({ code: 'idempotency_key_reused' });
  expect((await entries('gift-cards.issue')).length).toBe(before + 1);
  const { rows } = await sql<{ response: unknown }>`
    SELECT response FROM idempotent_request WHERE key = ${key}
  `.execute(world.deps.db);
  expect(rows).toEqual([{ response: { outcome: 'done', id: idOf(same[0] as Answer) } }]);
});

test('refuses what is no batch, and those who may not or whose proof is old', async () => {
  for (const wrong of [{ count: 0 }, { count: 10_001 }, { usd_cents: 0 }, { usd_cents: 1_000_001 }, { reason: ' ' }])
    expect((await issue(wrong)).status).toBe(422);
  expect((await issue({ expires: clock.now().toISOString() })).status).toBe(422);
  for (const member of [auditor, await openColleague(world, 'admin'), await openColleague(world, 'support')])
    expect((await call(member, '', order)).status).toBe(403);
  expect(await call(finance, '', order, { minutesAgo: 6 })).toMatchObject({ status: 401, code: 'proof_needed' });
  expect((await call(await openColleague(world, 'support'), '')).status).toBe(403);
});

test('a member who was disabled after being let in changes nothing', async () => {
  const other = await openColleague(world, 'finance');
  const before = (await entries('gift-cards.issue')).length;
  const cards = { count: 1, usd_cents: 500, expires: null, note: '' };
  await disableMember(world.deps, { actor, userId: other.userId, reason: 'left' });
  const member = { kind: 'staff', userId: other.userId } as const;
  const late = requestBatch(world.deps, { actor: member, cards, reason: 'an order' });
  await expect(late).rejects.toMatchObject({ code: 'forbidden' });
  expect((await entries('gift-cards.issue')).length).toBe(before);
});

describe('a typed code', () => {
  let id: string;
  let codes: string[];

  beforeAll(async () => {
    id = idOf(await issue({ count: 4, expires: addDays(clock.now(), 30).toISOString() }));
    codes = await exported(id);
  });

  test('says what became of its card, in every state, as people type it', async () => {
    const [first = '', second = '', third = ''] = codes;
    expect(await check(` ${first.toLowerCase().replaceAll('-', ' ')} `)).toMatchObject({
      outcome: 'found',
      card: { batch: id, last4: first.slice(-4), state: 'active', usd_cents: 1_250 },
    });
    const user = await world.user({ usdCents: 0 });
    await user.api.activateAccount({ body: { giftCardCode: second } });
    expect((await check(second)).card).toMatchObject({ state: 'redeemed', redeemed_at: clock.now().toISOString() });
    const { id: cardId } = (await check(third)).card ?? { id: '' };
    await call(finance, `/cards/${cardId}/void`, { last4: third.slice(-4), reason: 'it was stolen' });
    expect((await check(third)).card).toMatchObject({ state: 'void', voided_at: clock.now().toISOString() });
    // Its last symbol is a check of the others.
    expect(await check('7K3M-9QXW-2R5T-8VB4')).toEqual({ outcome: 'mistyped', card: null });
    expect(await check(first.slice(0, -2))).toEqual({ outcome: 'mistyped', card: null });
    expect((await check('0000-0000-0000-0000')).outcome).toBe('unknown');
  });

  test('is kept nowhere: the audit has who asked, of which card', async () => {
    const before = (await entries('gift-cards.check')).length;
    const { card } = await check(codes[0] ?? '', boss);
    const [entry, ...others] = await entries('gift-cards.check');
    expect(others).toHaveLength(before);
    expect(entry).toMatchObject({ actor: boss.userId, target_kind: 'batch', target_id: id });
    expect(entry?.details).toEqual({ outcome: 'found', cardId: card?.id, state: 'active' });
  });

  test('is asked so often a minute by one member, and by another all the same', async () => {
    clock.advance(60_000);
    for (let n = 0; n < staffLimits.cards.checksPerMinute; n += 1) await check('0000-0000-0000-0000', boss);
    const before = (await entries('gift-cards.check')).length;
    expect((await call(boss, '/check', { code: codes[0] ?? '' })).status).toBe(429);
    expect((await entries('gift-cards.check')).length).toBe(before);
    expect((await check(codes[0] ?? '')).outcome).toBe('found');
  });
});

describe('what is left of a batch', () => {
  const reason = 'they were stolen';

  test('is voided by its name, once; redeemed cards stay, and what they were sold for is revenue', async () => {
    const id = idOf(await issue({ count: 3 }));
    await sellBatch(world.deps, { actor, operator: 'Maryam', reason, batchId: id, buyer: 'a shop', toman: 3_000_000n });
    const [code = ''] = await exported(id);
    await (await world.user({ usdCents: 0 })).api.activateAccount({ body: { giftCardCode: code } });
    const wrong = await call(boss, `/${id}/void`, { name: id.slice(0, 8), reason });
    expect(wrong).toMatchObject({ status: 409, code: 'cards_name_differs' });
    const body = { name: batchName({ id }), reason };
    const twice = await Promise.all([call(boss, `/${id}/void`, body), call(boss, `/${id}/void`, body)]);
    const outcomes = twice.map((answer) => answer.code ?? (answer.data as { cards: number }).cards);
    expect(outcomes.map(String).sort()).toEqual(['2', 'cards_unchanged']);
    expect((await page(id)).batch).toMatchObject({ active: 0, redeemed: 1, void: 2, outstanding_usd_cents: 0 });
    const own = (await entries('gift-cards.void')).filter(({ target_id }) => target_id === id);
    expect(own).toMatchObject([{ actor: boss.userId, reason, details: { batchId: id, cards: 2 } }]);
  });

  test('ends at another time, or now, and can be extended again', async () => {
    const id = idOf(await issue());
    const at = addDays(clock.now(), 10).toISOString();
    expect((await call(finance, `/${id}/expire`, { at, reason })).data).toEqual({ cards: 3 });
    expect((await page(id)).cards.map(({ expires_at }) => expires_at)).toEqual([at, at, at]);
    expect((await call(finance, `/${id}/expire`, { reason })).data).toEqual({ cards: 3 });
    expect((await page(id)).batch).toMatchObject({ active: 0, expired: 3, outstanding_usd_cents: 0 });
    expect((await call(finance, `/${id}/expire`, { at, reason })).data).toEqual({ cards: 3 });
    expect((await page(id)).batch).toMatchObject({ active: 3, expired: 0 });
    const past = addDays(clock.now(), -1).toISOString();
    expect((await call(finance, `/${id}/expire`, { at: past, reason })).status).toBe(422);
    const own = (await entries('gift-cards.expire')).filter(({ target_id }) => target_id === id);
    expect(own.map((entry) => entry.reason)).toEqual([reason, reason, reason]);
  });

  test('a card is voided by its last four symbols', async () => {
    const id = idOf(await issue());
    const [card] = (await page(id)).cards;
    const path = `/cards/${card?.id}/void`;
    expect(await call(finance, path, { last4: 'AAAA', reason })).toMatchObject({ code: 'cards_name_differs' });
    expect((await call(finance, path, { last4: card?.last4, reason })).status).toBe(200);
    expect(await call(finance, path, { last4: card?.last4, reason })).toMatchObject({ code: 'cards_unchanged' });
    expect((await page(id)).batch).toMatchObject({ active: 2, void: 1 });
    const own = (await entries('gift-cards.void')).filter(({ target_id }) => target_id === id);
    expect(own).toMatchObject([{ reason, details: { cardId: card?.id, cards: 1 } }]);
  });

  test('of nothing there is not found', async () => {
    const id = randomUUID();
    expect((await call(boss, `/${id}`)).status).toBe(404);
    expect((await call(boss, `/${id}/void`, { name: batchName({ id }), reason })).status).toBe(404);
    expect((await call(boss, `/${id}/expire`, { reason })).status).toBe(404);
    expect((await call(boss, `/cards/${id}/void`, { last4: 'AAAA', reason })).status).toBe(404);
  });
});

test('cards and batches a page at a time, each once', async () => {
  clock.advance(1);
  const id = idOf(await issue({ count: staffLimits.cards.page + 5 }));
  const first = await page(id);
  const second = await page(id, `?after=${first.next}`);
  expect([first.cards.length, second.cards.length, second.next]).toEqual([staffLimits.cards.page, 5, null]);
  expect(new Set([...first.cards, ...second.cards].map((card) => card.id)).size).toBe(staffLimits.cards.page + 5);
  for (let n = 0; n < staffLimits.cards.batches; n += 1) {
    clock.advance(1);
    await issue({ count: 1 });
  }
  const newest = await list();
  const older = await list(`?before=${newest.next}`);
  expect(newest.batches).toHaveLength(staffLimits.cards.batches);
  expect(older.batches[0]?.id).toBe(id);
  const all = [...newest.batches, ...older.batches].map((batch) => batch.id);
  expect(new Set(all).size).toBe(all.length);
  // One of the command line has nobody’s name.
  const { batchId } = await issueBatch(world.deps, { actor, count: 1, usd: '5', keepForExport: false });
  expect((await page(batchId)).batch).toMatchObject({ by: null, codes: 'shown' });
});

test('canary: no code is in any answer, the audit, the log or a column, in clear', async () => {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM gift_card_batch WHERE codes_sealed IS NOT NULL LIMIT 3
  `.execute(world.deps.db);
  const codes = (await Promise.all(rows.map(({ id }) => exported(id)))).flat();
  expect(codes.length).toBeGreaterThan(2);
  const typed = codes[0] ?? '';
  clock.advance(60_000);
  expect((await check(typed)).outcome).toBe('found');
  for (const { id } of rows) await page(id);
  const values = codes.flatMap((value) => [value, value.replaceAll('-', '')]);
  const canaries = values.map((value) => ({ what: 'gift card', value }));
  const written = [...answers, ...log].map((text) => ({ table: 'written', column: '', text }));
  expect(log.join('')).toContain('gift-cards.check');
  expect(findCanaries(written, canaries)).toEqual([]);
  expect(findCanaries(await dumpEverything(world), canaries)).toEqual([]);
});

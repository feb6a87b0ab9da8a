import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import type { ProofTime } from '../../src/modules/ledger/check-invariants.ts';
import { daysOfMonth, monthOf, nextMonth } from '../../src/modules/ledger/jalali-month.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { transactionAsDatabase } from '../transaction-as-database.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { type Belongings, openBelongings } from './every-request.ts';

/**
 * Every invariant is broken once, past all triggers, and taken back: the whole proof finds it, the proof of what is new and
 * that of its month too, and no proof of another time. Those of settlement: `settlement-proof.test.ts`; of
 * documents: `invoices.test.ts`.
 */
let world: TestWorld;
let has: Belongings;
let names: Record<string, string>;
const ELSEWHERE = ['S1', 'S2', 'S2b', 'S3', 'S4', 'S5', 'S6', 'S7', 'N1', 'N2', 'N3', 'N4', 'N5', 'N6', 'N7', 'N8'];
/** Checked whole each minute: what they read does not grow with users. */
const ALWAYS_WHOLE = ['L16b', 'L33', 'L35', 'S7'];

beforeAll(async () => {
  world = await openTestWorld();
  has = await openBelongings(world);
  const { rows } = await sql<Record<string, string>>`
    SELECT id AS wallet FROM ledger_account WHERE owner_id = ${has.owner.id} AND kind = 'user_wallet'
  `.execute(world.deps.db);
  const month = monthOf(world.deps.clock.now().toISOString().slice(0, 10));
  const next = nextMonth(month);
  names = {
    ...rows[0],
    user: has.owner.id,
    config: has.configId,
    node: has.serverId,
    month,
    first: daysOfMonth(month)?.from ?? '',
    last: daysOfMonth(month)?.to ?? '',
    next,
    next_first: daysOfMonth(next)?.from ?? '',
    next_last: daysOfMonth(next)?.to ?? '',
  };
  await sql`
    INSERT INTO plan (id, name_fa, name_en, price_toman, duration_days, max_devices) VALUES ('test', 'x', 'x', 1000, 30, 1)
  `.execute(world.deps.db);
});
afterAll(() => world.close());

const transfer = (source: string, purpose = 'test', id = 'uuidv7()') =>
  `INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on)
   VALUES (${id}, 'adjustment', '${source}', gen_random_uuid(), '${purpose}', now(), now())`;
const entry = (code: string, amount: number) =>
  `INSERT INTO ledger_entry (transfer_id, account_id, amount) 
   SELECT (SELECT id FROM ledger_transfer ORDER BY id DESC LIMIT 1), (SELECT id FROM ledger_account WHERE code = '${code}'), ${amount}`;
const subscription = (more: Record<string, string> = {}) => {
  const values: Record<string, string> = {
    id: 'uuidv7()',
    user_id: '$user',
    plan_id: `'test'`,
    kind: `'purchase'`,
    paid_with: `'wallet'`,
    name_fa: `'x'`,
    name_en: `'x'`,
    price_toman: '0',
    duration_days: '30',
    max_devices: '1',
    starts_at: 'now()',
    ends_at: `now() + interval '30 days'`,
    created_at: 'now()',
    ...more,
  };
  return `INSERT INTO subscription (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})`;
};
const payment = (more: Record<string, string> = {}) => {
  const values: Record<string, string> = {
    id: 'uuidv7()',
    user_id: '$user',
    gateway: `'idpay'`,
    amount_toman: '1000',
    state: `'completed'`,
    gateway_reference: 'gen_random_uuid()',
    ref_id: 'gen_random_uuid()',
    evidence: `'{}'`,
    created_at: 'now()',
    settled_at: 'now()',
    ...more,
  };
  return `INSERT INTO payment (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})`;
};
const refund = (amount: number, state = 'requested') =>
  `INSERT INTO refund (id, payment_id, user_id, gateway, amount_toman, route, state, created_at)
   SELECT uuidv7(), id, user_id, gateway, ${amount}, 'hand', '${state}', now() FROM payment ORDER BY id DESC LIMIT 1`;
const batch = `INSERT INTO gift_card_batch (id, created_at) VALUES (uuidv7(), now())`;
const ofBatch = '(SELECT id FROM gift_card_batch ORDER BY id DESC LIMIT 1)';
const sale = `INSERT INTO gift_card_sale (batch_id, buyer, toman, reason, operator, created_at) VALUES (${ofBatch}, 'x', 5, 'x', 'x', now())`;
const card = (more: string, values: string) =>
  `INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, created_at, ${more})
   VALUES (uuidv7(), ${ofBatch}, uuid_send(gen_random_uuid()), 1, 'xxxx', 100, now(), ${values})`;
const earned = (toman: number) => `INSERT INTO earned_day VALUES (now()::date, ${toman}, now())`;
const unearned = `INSERT INTO unearned_plan SELECT id, 5, NULL FROM subscription ORDER BY id DESC LIMIT 1`;

/** A credit of many that was ordered for one, and waits; its approval by another member; and what it pays. */
const creditProposal = `INSERT INTO correction_proposal
  (id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at, each_toman, people, people_hash)
  VALUES (uuidv7(), 'bulk', 5, 'x', $user, now(), now() + interval '1 hour', 5, 1, people_hash(ARRAY[$user]::uuid[]))`;
const creditOrder = `WITH proposal AS (${creditProposal} RETURNING id), ordered AS (
  INSERT INTO bulk (id, act, reason, actor_kind, actor, ordered_at, state, people, each_toman, message, proposal_id, approve_by)
  SELECT uuidv7(), 'credit', 'x', 'staff', $user, now(), 'proposed', 1, 5, 'x', id, now() FROM proposal RETURNING id
) INSERT INTO bulk_item (bulk_id, user_id) SELECT id, $user FROM ordered`;
const otherUser = '(SELECT id FROM users WHERE id <> $user LIMIT 1)';
/** One card of a dollar that another member approved, and its batch. */
const cardApproval = (more: { readonly alone?: boolean; readonly by?: string } = {}) => `INSERT INTO approval
  (id, act, payload, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at, alone)
  VALUES (uuidv7(), 'cards', '{"count": 1, "usd_cents": 100}', 'x', $user, now(), now() + interval '1 hour', 'done',
    ${more.by ?? otherUser}, now(), ${more.alone ?? false})`;
const approvedBatch = `INSERT INTO gift_card_batch (id, created_at, approval_id) SELECT uuidv7(), now(), id FROM approval`;
const aloneBatch = (cents: number, limit: number) =>
  `INSERT INTO gift_card_batch (id, created_at, alone_usd_cents, limit_usd_cents) VALUES (uuidv7(), now(), ${cents}, ${limit})`;
const activeCard = card('status', `'active'`);
const creditApproval = `
  UPDATE correction_proposal SET state = 'done', decided_at = now(), decided_by = ${otherUser};
  UPDATE bulk SET state = 'planned', starts_at = now()`;
const creditDone = `UPDATE bulk_item SET state = 'done', at = now(); UPDATE bulk SET done = 1`;
const creditOf = (toman: number) => `INSERT INTO wallet_correction
  (id, user_id, kind, amount_toman, reason, operator, created_at, staff_id, limit_toman, proposal_id, bulk_id)
  SELECT uuidv7(), $user, 'adjustment', ${toman}, 'x', 'x', now(), coalesce(p.decided_by, $user), 0, p.id, b.id
  FROM bulk b JOIN correction_proposal p ON p.id = b.proposal_id`;

const cases: [string, ...string[]][] = [
  ['L1', transfer('test')],
  ['L2', transfer('test'), entry('adjustment', 5)],
  ['L3', 'UPDATE ledger_account SET balance = balance + 1 WHERE id = $wallet'],
  ['L4', 'UPDATE ledger_entry SET account_version = account_version + 5 WHERE account_id = $wallet'],
  [
    'L6',
    'ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_source_type_source_id_purpose_key',
    `INSERT INTO ledger_transfer SELECT uuidv7(), kind, source_type, source_id, purpose, created_at, booked_on FROM ledger_transfer LIMIT 1`,
  ],
  [
    'L7',
    'ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_floor',
    'UPDATE ledger_account SET balance = -1 WHERE id = $wallet',
  ],
  ['L19', transfer('test'), entry('adjustment', 2 ** 60)],
  ['L34', `INSERT INTO book_month VALUES ($month, $first, $last, 0, 'x', '2000-01-01')`],
  [
    'L35',
    `INSERT INTO book_month VALUES ($next, $next_first, $next_last, 0, 'x', '2000-01-01')`,
    `INSERT INTO book_month_sum VALUES ($next, 'fee', 0, 0)`,
  ],
  ['L9', payment()],
  [
    'L10',
    payment({ state: `'failed'` }),
    `INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on)
     SELECT uuidv7(), 'wallet_charge', 'payment', id, 'credit', now(), now() FROM payment`,
  ],
  ['L11', payment({ gateway_reference: 'NULL' })],
  ['L12', batch, card('status, redeemed_by, redeemed_at, credited_toman', `'redeemed', $user, now(), 5`)],
  ['L14', payment(), refund(5)],
  ['L14b', payment(), refund(5_000)],
  ['L14c', transfer('refund', 'reserve'), entry('refund:clearing', 5)],
  ['L16', transfer('payment', 'credit'), entry('gateway:idpay:clearing', -5)],
  [
    'L16',
    payment({ state: `'failed'` }),
    `INSERT INTO payment_reversal SELECT id, user_id, 1000, 0, '{}', now() FROM payment`,
  ],
  ['L16b', payment(), `INSERT INTO payment_reversal SELECT id, user_id, 1000, 1000, '{}', now() FROM payment`],
  ['L22', subscription({ price_toman: '1000' })],
  ['L23', transfer('subscription', 'purchase'), entry('revenue:plan', 5)],
  ['L27', earned(0), subscription(), unearned],
  ['L28', earned(0), subscription({ ended_at: 'now()', end_reason: `'used_up'` }), unearned],
  ['L28', subscription({ price_toman: '3' }), unearned],
  ['L29', earned(5)],
  ['L29', transfer('earned_day', 'earn')],
  ['L24', subscription({ carried_bytes: '5' })],
  ['L25', subscription({ starts_at: `now() + interval '1 day'`, first_given_at: 'now()' })],
  ['L21', subscription(), subscription()],
  ['L30', batch, sale],
  ['L31', batch, sale],
  ['L31', transfer('gift_card', 'redeem'), entry('gift:issued', -5)],
  ['L31', transfer('gift_card_breakage', 'break'), entry('revenue:gift-breakage', 5)],
  ['L31', batch, card('sold_toman, broken_at', '5, now()')],
  ['L32', batch, sale, `INSERT INTO gift_card_payment VALUES (uuidv7(), ${ofBatch}, 'paid', 5, 'x', 'x', now())`],
  ['L33', batch, card('status, voided_at, sold_toman', `'void', now(), 5`)],
  ['L13', 'UPDATE meter SET hour_charged = hour_charged + 1'],
  ['P5', `INSERT INTO usage_sum VALUES ($config, 'day', (now() AT TIME ZONE 'Asia/Tehran')::date, $user, 5, 5, 0)`],
  [
    'P5',
    `INSERT INTO usage_sum VALUES ($config, 'month', date_trunc('month', now() AT TIME ZONE 'Asia/Tehran')::date, $user, 5, 5, 0)`,
  ],
  ['L15', 'UPDATE ledger_account SET reserved = reserved + 1 WHERE id = $wallet'],
  ['L20', subscription({ granted_bytes: '5' })],
  ['P1', 'UPDATE meter SET epoch_up = epoch_up + 1'],
  ['P2', 'UPDATE meter SET unpaid_bytes = 1'],
  ['P3', 'INSERT INTO trial (user_id, limit_bytes, used_bytes) VALUES ($user, 10, 5)'],
  ['L40', 'UPDATE wallet_movement SET amount = amount + 1 WHERE user_id = $user'],
  ['L41', 'UPDATE wallet_sum SET deposits = deposits + 1 WHERE user_id = $user'],
  ...['day', 'month', 'all'].flatMap((grain): [string, string][] => [
    ['L41', `UPDATE wallet_sum SET lines = lines + 1 WHERE user_id = $user AND grain = '${grain}'`],
    ['L41', `DELETE FROM wallet_sum WHERE user_id = $user AND grain = '${grain}'`],
    [
      'L41',
      `INSERT INTO wallet_sum SELECT user_id, grain, begins, 'transfer', 'completed', '', 5, 0, 1 FROM wallet_sum
       WHERE user_id = $user AND grain = '${grain}' LIMIT 1`,
    ],
  ]),
  ['L41', `UPDATE wallet_sum SET days = 0 WHERE user_id = $user AND grain = 'month'`],
  ['P4', 'UPDATE meter SET trial_bytes = lease_limit_bytes + 1'],
  [
    'L17',
    `INSERT INTO wallet_transfer (id, from_user_id, to_user_id, amount_toman, created_at)
     SELECT uuidv7(), $user, id, 5, now() FROM users WHERE id <> $user LIMIT 1`,
  ],
  ['L26', `INSERT INTO wallet_correction VALUES (uuidv7(), $user, 'adjustment', 5, 'x', 'x', now())`],
  ['L26b', transfer('correction', 'adjustment')],
  [
    'L42',
    `INSERT INTO wallet_correction (id, user_id, kind, amount_toman, reason, operator, created_at, staff_id, limit_toman)
     VALUES (uuidv7(), $user, 'adjustment', 5, 'x', 'x', now(), $user, 4)`,
  ],
  [
    'L42b',
    `INSERT INTO correction_proposal (id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at, alone)
     VALUES (uuidv7(), $user, 'debt', 5, 'x', $user, now(), now() + interval '1 hour', 'done', $user, now(), true)`,
  ],
  ['L42', creditOrder, creditOf(5).replace('p.id, b.id', 'NULL, b.id')],
  ['L42', creditOrder, creditOf(5)],
  ['L42', creditOrder, creditApproval, creditDone, creditOf(6)],
  ['L42', creditOrder, creditApproval, creditDone, creditOf(5).replace('p.id, b.id', 'p.id, NULL')],
  ['L45', creditOrder, creditApproval, creditOf(5)],
  ['L45', creditOrder, creditApproval, creditDone, creditOf(6)],
  ['L45', creditOrder, creditApproval, creditDone, creditOf(5).replace('$user,', `${otherUser},`)],
  ['L45b', creditOrder, creditApproval, creditDone],
  ['L45b', creditOrder, creditApproval, creditOf(5)],
  ['L45b', creditOrder, `UPDATE bulk SET state = 'planned', starts_at = now()`],
  ['L45b', creditOrder, `INSERT INTO bulk_item (bulk_id, user_id) SELECT id, ${otherUser} FROM bulk`],
  ['L45b', creditProposal],
  ['L44', subscription({ version_id: `(SELECT id FROM plan_version WHERE plan_id = 'test')` })],
  ['L46', aloneBatch(100, 99), activeCard],
  ['L46', aloneBatch(100, 100), activeCard, activeCard],
  ['L46', cardApproval(), approvedBatch, activeCard, activeCard],
  [
    'L46',
    'ALTER TABLE approval DROP CONSTRAINT approval_two_members',
    cardApproval({ by: '$user' }),
    ...[approvedBatch, activeCard],
  ],
  ['L46b', cardApproval()],
  ['L43', payment({ evidence: `'{"review": {"limitToman": 999}}'` })],
];

/** A transfer without the row that it names; of all rows, the sums would show it. */
const orphans: [string, string][] = [
  ['L9', transfer('payment', 'credit')],
  ['L12', transfer('gift_card', 'redeem')],
  ['L14', transfer('refund', 'reserve')],
  ['L17', transfer('wallet_transfer', 'move')],
  ['L22', transfer('subscription', 'purchase')],
];

interface Found {
  readonly whole: string[];
  readonly recent: string[];
  readonly month: string[];
  readonly before: string[];
  readonly after: string[];
}

async function breakBooks(statements: readonly string[]): Promise<Found> {
  const undo = new Error('undo');
  const now = world.deps.clock.now();
  let found: Found | undefined;
  await world.deps.db
    .transaction()
    .execute(async (tx) => {
      for (const table of ['ledger_entry', 'ledger_transfer', 'ledger_account', 'book_month', 'book_month_sum'])
        await sql.raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`).execute(tx);
      for (const statement of statements)
        await sql.raw(statement.replace(/\$(\w+)/g, (_, name: string) => `'${names[name]}'`)).execute(tx);
      const codes = async (time?: ProofTime) => {
        const { violations } = await checkLedger(transactionAsDatabase(tx), time);
        return violations.map(({ invariant }) => invariant.split(' ')[0] ?? '');
      };
      const hour = { since: addSeconds(now, -3_600), until: addSeconds(now, 3_600) };
      found = {
        whole: await codes(),
        recent: await codes({ since: hour.since }),
        month: await codes({ ...hour, month: names.month }),
        before: await codes({ since: new Date(0), until: hour.since }),
        after: await codes({ since: hour.until }),
      };
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found as Found;
}

test('nothing is broken before', async () => {
  expect(await breakBooks([])).toEqual({ whole: [], recent: [], month: [], before: [], after: [] });
});

test.each(cases)('%s is found by every proof that it belongs to', async (code, ...statements) => {
  const found = await breakBooks(statements);
  expect([found.whole, found.recent].map((codes) => codes.includes(code))).toEqual([true, true]);
  if (ALWAYS_WHOLE.includes(code)) return;
  expect([found.month, found.before, found.after].map((codes) => codes.includes(code))).toEqual([true, false, false]);
});

test.each(orphans)('%s is found broken by a transfer that names nothing', async (code, statement) => {
  const { recent, month, before, after } = await breakBooks([statement]);
  expect([recent, month, before, after].map((codes) => codes.includes(code))).toEqual([true, true, false, false]);
});

test('L41 looks at the day of an old payment that goes back now', async () => {
  const old = `now() - interval '60 days'`;
  const statements = [
    payment({ created_at: old, settled_at: old }),
    refund(1_000, 'sent'),
    `INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on)
     SELECT uuidv7(), 'refund', 'refund', id, 'reserve', now(), now() FROM refund`,
    `UPDATE wallet_sum SET lines = lines + 1 WHERE user_id = $user AND grain = 'day' AND begins < ${old} + interval '9 days'`,
  ];
  const { whole, recent } = await breakBooks(statements);
  expect([whole.includes('L41'), recent.includes('L41')]).toEqual([true, true]);
});

test('P5 compares hours with their day once a day, in the proof of a month', async () => {
  const { whole, recent, month } = await breakBooks([
    'ALTER TABLE usage_hour DISABLE TRIGGER USER',
    `INSERT INTO usage_hour VALUES ($config, date_trunc('hour', now()), 5, 5, 0)`,
  ]);
  expect([whole, recent, month].map((codes) => codes.includes('P5'))).toEqual([true, false, true]);
});

test('every invariant is among them', async () => {
  const { checked } = await checkLedger(world.deps.db);
  const codes = new Set([...cases.map(([code]) => code), ...ELSEWHERE]);
  expect(checked.map((name) => name.split(' ')[0] as string).filter((code) => !codes.has(code))).toEqual([]);
});

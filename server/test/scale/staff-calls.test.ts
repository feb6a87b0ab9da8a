import { reachSpans } from '@raha/contract/admin/reach.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeLiveNodes } from '../../src/modules/console/describe-fleet.ts';
import { describeInstallation } from '../../src/modules/console/today.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { readMap } from '../../src/modules/reach/read-map.ts';
import { sumPlans } from '../../src/modules/subscriptions/sum-plans.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';
import type { Budget } from './budgets.ts';
import { type Cost, costOf } from './counters.ts';

/** What reading the console costs the database, with 20,000 entries in the audit, sixty people who worked here, and 20,000 users. */
const budgets: Readonly<Record<string, Budget>> = {
  // PostgreSQL reads a table of sixty rows as a whole.
  '/admin/me': { queries: 1, rows: 100 },
  '/admin/me/sessions': { queries: 2, rows: 100 },
  '/admin/staff': { queries: 3, rows: 300 },
  '/admin/tokens': { queries: 4, rows: 300 },
  '/admin/proposals': { queries: 7, rows: 650 },
  '/admin/approvals': { queries: 6, rows: 650 },
  '/admin/deliveries': { queries: 3, rows: 300 },
  '/admin/deliveries?channel=sms': { queries: 3, rows: 300 },
  '/admin/deliveries?state=given_up&before=00000000-0000-7000-8000-000000010000': { queries: 3, rows: 300 },
  '/admin/alerts': { queries: 5, rows: 500 },
  '/admin/audit': { queries: 4, rows: 500 },
  '/admin/audit?before=10000': { queries: 4, rows: 500 },
  '/admin/audit?action=rare.action': { queries: 4, rows: 500 },
  '/admin/audit?actor=rare': { queries: 4, rows: 500 },
  '/admin/audit?target_kind=node&target=17': { queries: 4, rows: 500 },
  '/admin/payments': { queries: 7, rows: 500 },
  '/admin/payments?group=waiting': { queries: 7, rows: 500 },
  '/admin/payments?group=failed': { queries: 7, rows: 500 },
  '/admin/payments?gateway=idpay&group=completed': { queries: 7, rows: 500 },
  '/admin/payments?gateway=idpay&to=2020-01-01': { queries: 5, rows: 200 },
  '/admin/refunds': { queries: 3, rows: 300 },
  '/admin/plans': { queries: 10, rows: 450 },
  '/admin/prices': { queries: 9, rows: 450 },
  '/admin/reconciliation/differences': { queries: 4, rows: 300 },
  '/admin/books': { queries: 5, rows: 300 },
  // Each batch of a page is counted by its own cards, here a hundred each.
  '/admin/gift-cards': { queries: 9, rows: 3_600 },
  // Hours of refused webhooks: of a store and a reason at most 721.
  '/admin/gift-card-stores': { queries: 3, rows: 3_000 },
  '/admin/settings': { queries: 6, rows: 400 },
  '/admin/settings/configs.perUser': { queries: 7, rows: 400 },
  // Of 20,000 transfers, 300 of these days: of the kind that is asked for, each with its entries and their accounts.
  '/admin/reports/daily?report=takings': { queries: 2, rows: 400 },
  '/admin/reports/daily?report=usage': { queries: 2, rows: 5_000 },
  '/admin/reports/daily?report=refunds': { queries: 2, rows: 400 },
  '/admin/reports/nodes': { queries: 3, rows: 300 },
  // 20,000 subscriptions.
  '/admin/reports/plans': { queries: 4, rows: 200 },
  '/admin/today': { queries: 23, rows: 1_200 },
  // Counted up to 10,000, and one more.
  '/admin/people/count?state=active': { queries: 2, rows: 10_100 },
  '/admin/people/count?state=suspended': { queries: 2, rows: 200 },
  '/admin/bulks': { queries: 3, rows: 300 },
  '/admin/nodes': { queries: 4, rows: 500 },
  // A hundred servers with ten relays, and a week of one way with three ports.
  // A hundred servers with ten relays each.
  '/admin/entries': { queries: 7, rows: 3_000 },
  '/admin/reach/197207/wireguard?span=week': { queries: 7, rows: 4_000 },
};

/** By filter. */
const filtered = [{ state: 'active' }, { state: 'suspended' }] as const;

/** By what is typed. */
const searches: Readonly<Record<string, Budget>> = {
  '': { queries: 5, rows: 400 },
  // A part that everybody's address has.
  'many.example': { queries: 10, rows: 600 },
  crowd19999: { queries: 10, rows: 600 },
  '0935119999': { queries: 11, rows: 600 },
  '00000000-0000-7000-8000-000000019999': { queries: 14, rows: 600 },
  nobody: { queries: 10, rows: 600 },
};

let world: TestWorld;
let boss: Colleague;
let somebody: TestUser;

beforeAll(async () => {
  const overrides = { minuteLimit: unlimited, settingsKeptMs: 3_600_000 };
  world = await openTestWorld({ connections: 1, restores: false, overrides });
  boss = await openColleague(world, 'super_admin');
  await sql`
    INSERT INTO users (id, email, status, created_at)
    SELECT gen_random_uuid(), 'old' || n || '@staff.example', 'active', now() FROM generate_series(1, 60) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO staff_member (user_id, role, added_at, enrol_until, disabled_at)
    SELECT id, 'support', now(), now(), now() FROM users WHERE email LIKE 'old%@staff.example'
  `.execute(world.deps.db);
  await sql`
    INSERT INTO audit_entry (number, at, actor_kind, actor, action, target_kind, target_id, chain)
    SELECT n, now(), 'command-line', CASE WHEN n % 5000 = 0 THEN 'rare' ELSE 'root' END,
      CASE WHEN n % 5000 = 0 THEN 'rare.action' ELSE 'nodes.set' END, 'node', (n % 1000)::text, ''
    FROM generate_series(10, 20000) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO users (id, email, phone, status, created_at)
    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'crowd' || n || '@many.example',
      '093511' || lpad(n::text, 5, '0'), 'active', now()
    FROM generate_series(1, 20000) n
  `.execute(world.deps.db);
  somebody = await world.user({ usdCents: 100 });
  await sql`
    INSERT INTO notification (id, user_id, kind, cause, data, created_at)
    SELECT gen_random_uuid(), ${somebody.id}, 'balance_adjusted', 'n' || n, '{"amountToman": 1}', date_trunc('second', now()) - make_interval(secs => n)
    FROM generate_series(1, 20000) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO correction_proposal (id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at)
    SELECT gen_random_uuid(), ${somebody.id}, 'adjustment', n, 'x', ${boss.userId}, now() - make_interval(mins => n), now() + interval '1 day',
      CASE WHEN n % 200 = 0 THEN 'open' ELSE 'withdrawn' END, CASE WHEN n % 200 = 0 THEN NULL ELSE ${boss.userId}::uuid END,
      CASE WHEN n % 200 = 0 THEN NULL ELSE now() END
    FROM generate_series(1, 2000) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO approval (id, act, payload, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at)
    SELECT gen_random_uuid(), 'cards', '{"count": 1, "usd_cents": 1, "expires": null, "note": ""}', 'x', ${boss.userId},
      now() - make_interval(mins => n), now() + interval '1 day', CASE WHEN n % 200 = 0 THEN 'open' ELSE 'declined' END,
      CASE WHEN n % 200 = 0 THEN NULL ELSE ${boss.userId}::uuid END, CASE WHEN n % 200 = 0 THEN NULL ELSE now() END
    FROM generate_series(1, 2000) n
  `.execute(world.deps.db);
  // Ten credits of many wait, too.
  await sql`
    WITH proposed AS (
      INSERT INTO correction_proposal (id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at, each_toman, people, people_hash)
      SELECT gen_random_uuid(), 'bulk', 20, 'x', ${boss.userId}, now() - interval '1 hour', now() + interval '1 day', 10, 2, 'x'
      FROM generate_series(1, 10) RETURNING id
    )
    INSERT INTO bulk (id, act, reason, actor_kind, actor, ordered_at, state, people, each_toman, message, proposal_id, approve_by)
    SELECT gen_random_uuid(), 'credit', 'x', 'staff', ${boss.userId}, now(), 'proposed', 2, 10, 'x', id, now() + interval '1 day' FROM proposed
  `.execute(world.deps.db);
  // One in two hundred waits; one in a hundred went through the rare gateway. Ids begin with their instant.
  await sql`
    INSERT INTO payment (id, user_id, gateway, amount_toman, state, evidence, ref_id, gateway_reference, created_at, settled_at)
    SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n * 60000), 12, '0') || '7000' || '8000' || lpad(n::text, 12, '0'))::uuid,
      ${somebody.id}, CASE WHEN n % 100 = 0 THEN 'idpay' ELSE 'zarinpal' END, 50000,
      CASE WHEN n % 200 = 1 THEN 'needs_review' WHEN n % 50 = 2 THEN 'failed' ELSE 'completed' END, '{}', 'r' || n, 'g' || n,
      now() - make_interval(mins => n), now() - make_interval(mins => n)
    FROM generate_series(1, 20000) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO node (id, name, country, city, wireguard_port, address_limit, created_at)
    SELECT gen_random_uuid(), 'scale-' || n, 'DE', 'Frankfurt am Main', 51820, 65000, now() FROM generate_series(1, 100) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO node_presence (node_id, seen_at, tunnels_up, agent_version, protocols, ping_ms, pinged_at, load)
    SELECT id, now(), true, '2.0.1+0123456789ab', '{wireguard,openvpn,ikev2}', 61, now(), 0.613 FROM node WHERE name LIKE 'scale-%'
  `.execute(world.deps.db);
  await sql`
    INSERT INTO alert (id, rule, cause, severity, began_at, seen_at, opened_at, closed_at)
    SELECT gen_random_uuid(), 'node_silent', 'n' || n, 'page', now() - make_interval(mins => n), now(), now() - make_interval(mins => n),
      CASE WHEN n % 1000 = 0 THEN NULL ELSE now() - make_interval(mins => n) END
    FROM generate_series(1, 20000) n
  `.execute(world.deps.db);
  await sql`
    WITH batch AS (
      INSERT INTO gift_card_batch (id, note, created_at)
      SELECT ('018f' || lpad(to_hex(n), 8, '0') || '7000' || '8000' || lpad(n::text, 12, '0'))::uuid, 'b' || n, now()
      FROM generate_series(1, 300) n RETURNING id
    )
    INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, created_at)
    SELECT gen_random_uuid(), batch.id, decode(md5(batch.id || '-' || n), 'hex'), 1, 'ABCD', 500, now()
    FROM batch, generate_series(1, 100) n
  `.execute(world.deps.db);
  // Booked between house accounts, so that no wallet has to follow: one a minute a year ago, and three hundred of these days.
  await sql`
    WITH made AS (
      INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
      SELECT gen_random_uuid(), 'usage', 'scale', n::text, 'charge',
        now() - CASE WHEN n <= 300 THEN make_interval(hours => n) ELSE interval '1 year' + make_interval(mins => n) END
      FROM generate_series(1, 20000) n RETURNING id
    )
    INSERT INTO ledger_entry (transfer_id, account_id, amount)
    SELECT id, account, amount FROM made, (VALUES (${house.usageRevenue}::uuid, 10), (${house.adjustment}::uuid, -10)) AS of (account, amount)
  `.execute(world.deps.db);
  await sql`
    INSERT INTO relay (id, name, node_id, address4, exit4, created_at)
    SELECT gen_random_uuid(), name || '-' || n, id, '10.' || n || '.' || substr(name, 7) || '.1', '198.51.100.2', now()
    FROM node, generate_series(1, 10) n WHERE name LIKE 'scale-%'
  `.execute(world.deps.db);
  await sql`
    INSERT INTO reach_cell (network, grain, begins, transport, port, attempts, through, answers, connected)
    SELECT network, 'hour', now() - make_interval(hours => hour), way[1], way[2]::integer, 100, 90, 0, 0
    FROM unnest('{197207,44244,57218,58224,12880,31549,43754,16322,50810,56402,49100,25184,42337,41881,39501}'::bigint[]) network,
      generate_series(1, 330) hour,
      (VALUES ('{wireguard,0}'::text[]), ('{wireguard,53}'), ('{wireguard,123}'), ('{openvpn,0}'), ('{openvpn_tcp,0}'), ('{ikev2,0}')) AS of (way)
  `.execute(world.deps.db);
  // One in a hundred was a text message; one in two was not sent.
  await sql`
    INSERT INTO delivery (id, user_id, channel, kind, state, attempts, reason, first_at, at)
    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${somebody.id},
      CASE WHEN n % 100 = 0 THEN 'sms' ELSE 'mail' END, 'sign_in_code',
      CASE WHEN n % 2 = 1 THEN 'sent' WHEN n % 200 = 0 THEN 'given_up' ELSE 'waiting' END, 1,
      CASE WHEN n % 2 = 1 THEN NULL ELSE 'refused' END, now() - make_interval(secs => n), now() - make_interval(secs => n)
    FROM generate_series(1, 20000) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO refused_webhook (store, reason, hour, count, last_at)
    SELECT store, reason, now() - make_interval(hours => n), 1000000, now()
    FROM unnest('{card2gift,cardplus}'::text[]) AS store, unnest('{unsigned,repeated}'::text[]) AS reason, generate_series(1, 700) n
  `.execute(world.deps.db);
  await sql`
    INSERT INTO subscription (id, user_id, plan_id, version_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
      starts_at, ends_at, created_at)
    SELECT gen_random_uuid(), ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, p.id, p.version_id, 'purchase', 'wallet', 'x', 'x',
      1000, 30, 1, at, at + interval '30 days', at
    FROM generate_series(1, 20000) n CROSS JOIN LATERAL (SELECT now() - make_interval(mins => n * 5) AS at) began
    JOIN plan p ON p.id = 'basic'
  `.execute(world.deps.db);
  await sumPlans(world.deps);
  // All at once leaves more deleted rows than a minute of sales does.
  await sql`VACUUM plan_sum_change`.execute(world.deps.db);
  await sql`ANALYZE subscription, plan_sum, plan_sum_change, refused_webhook, delivery, relay, reach_cell, ledger_transfer, ledger_entry, gift_card, gift_card_batch, alert, payment, node, node_presence, correction_proposal, approval, notification, audit_entry, staff_member, users, staff_session`.execute(
    world.deps.db,
  );
}, 600_000);
afterAll(() => world.close());

/** Again if it is over its budget: every five seconds a call also reads the settings. */
async function expectCost(what: string, budget: Budget, call: () => Promise<{ status: number }>): Promise<void> {
  const read = async () => expect((await call()).status).toBe(200);
  const isWithin = ({ queries, rows }: Cost) => queries <= budget.queries && rows <= budget.rows;
  await read();
  let measured = await costOf(world.deps.db, read);
  if (!isWithin(measured)) measured = await costOf(world.deps.db, read);
  const { queries, rows } = measured;
  const cost = [queries, rows];
  const expected = { what, queries: true, rows: true, cost };
  expect({ what, queries: queries <= budget.queries, rows: rows <= budget.rows, cost }).toEqual(expected);
}

test.each(Object.entries(budgets))('%s', async (path, budget) => {
  await expectCost(API_BASE + path, budget, () => boss.browser.call('GET', path));
});

test.each(Object.entries(searches))('search “%s”', async (text, budget) => {
  await expectCost(text, budget, () => boss.browser.post('/admin/people/search', { text }));
});

test.each(filtered)('a page of users in a state: %o', async (filter) => {
  const budget = { queries: 5, rows: 400 };
  await expectCost(filter.state, budget, () => boss.browser.post('/admin/people/search', filter));
  await expectCost(filter.state, { queries: 11, rows: 700 }, () =>
    boss.browser.post('/admin/people/search', { ...filter, text: 'many.example' }),
  );
});

test('a hundred servers, read every five seconds, stay below 20 KB a second', async () => {
  const response = await fetch(`${world.origin}${API_BASE}/admin/nodes`, {
    headers: { cookie: boss.browser.cookies() },
  });
  const text = await response.text();
  expect((JSON.parse(text) as { data: { nodes: object[] } }).data.nodes.length).toBeGreaterThanOrEqual(100);
  expect(Buffer.byteLength(text) / 5).toBeLessThan(20_000);
});

test('what a process reads once for all who look', async () => {
  const { db, clock } = world.deps;
  const nodes = await costOf(db, () => describeLiveNodes(db, clock.now()));
  expect([nodes.queries <= 3, nodes.rows <= 500, nodes]).toMatchObject([true, true, {}]);
  for (const span of reachSpans) {
    const map = await costOf(db, () => readMap(db, span, clock.now()));
    expect([map.queries <= 2, map.rows <= 16_000, map]).toMatchObject([true, true, {}]);
  }
  // Of today and of the same day a week ago: as many as were credited then, and here each minute one was.
  const installation = await costOf(db, () => describeInstallation(world.deps));
  expect([installation.queries <= 7, installation.rows <= 9_000, installation]).toMatchObject([true, true, {}]);
});

test('a payment’s page', async () => {
  const { body } = await boss.browser.call('GET', '/admin/payments?group=completed');
  const [first] = (body.data as { payments: { id: string }[] }).payments;
  const path = `/admin/payments/${first?.id}`;
  await expectCost(path, { queries: 14, rows: 300 }, () => boss.browser.call('GET', path));
});

test('a batch’s page', async () => {
  const { body } = await boss.browser.call('GET', '/admin/gift-cards');
  const { batches } = body.data as { batches: { id: string; cards: number }[] };
  const path = `/admin/gift-cards/${batches.find(({ cards }) => cards === 100)?.id}`;
  await expectCost(path, { queries: 5, rows: 500 }, () => boss.browser.call('GET', path));
});

test('a user’s page, and a page in the middle of a long timeline', async () => {
  const path = `/admin/people/${somebody.id}`;
  await expectCost(path, { queries: 20, rows: 400 }, () => boss.browser.call('GET', path));
  const before = new Date(Date.now() - 7_200_000).toISOString();
  const older = `${path}/timeline?before=${before}`;
  const deliveries = `${path}/deliveries?before=00000000-0000-7000-8000-000000010000`;
  await expectCost(deliveries, { queries: 6, rows: 300 }, () => boss.browser.call('GET', deliveries));
  await expectCost(older, { queries: 12, rows: 600 }, () => boss.browser.call('GET', older));
});

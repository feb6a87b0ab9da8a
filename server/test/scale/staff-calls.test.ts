import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Colleague, openColleague } from '../staff.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import type { Budget } from './budgets.ts';
import { costOf } from './counters.ts';

/** What reading the console costs the database, with 20,000 entries in the audit and sixty people who worked here. */
const budgets: Readonly<Record<string, Budget>> = {
  // PostgreSQL reads a table of sixty rows as a whole.
  '/admin/me': { queries: 1, rows: 100 },
  '/admin/staff': { queries: 3, rows: 300 },
  '/admin/audit': { queries: 4, rows: 500 },
  '/admin/audit?before=10000': { queries: 4, rows: 500 },
  '/admin/audit?action=rare.action': { queries: 4, rows: 500 },
  '/admin/audit?actor=rare': { queries: 4, rows: 500 },
  '/admin/audit?target_kind=node&target=17': { queries: 4, rows: 500 },
};

let world: TestWorld;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ connections: 1, restores: false });
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
  await sql`ANALYZE audit_entry, staff_member, users, staff_session`.execute(world.deps.db);
}, 120_000);
afterAll(() => world.close());

test.each(Object.entries(budgets))('%s', async (path, budget) => {
  const read = async () => expect((await boss.browser.call('GET', path)).status).toBe(200);
  await read();
  const { queries, rows } = await costOf(world.deps.db, read);
  expect({
    path: API_BASE + path,
    queries: queries <= budget.queries,
    rows: rows <= budget.rows,
    cost: [queries, rows],
  }).toEqual({
    path: API_BASE + path,
    queries: true,
    rows: true,
    cost: [queries, rows],
  });
});

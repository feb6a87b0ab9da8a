import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkChain, listEntries } from '../../src/modules/audit/audit.ts';
import { adjustBalance } from '../../src/modules/wallet/correct-books.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { fingerprint } from '../fingerprint.ts';
import { jobsDone } from '../jobs-done.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';
import { acts, actsOfMembers } from './audit-acts.ts';

/** What operators do is kept with what it does: one entry, in the same transaction. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  // Nodes would be marked as seen whenever the clock has moved, in the middle of an act that changes nothing.
  world = await openTestWorld({ clock, restores: false, keepsNodes: false });
});
afterAll(async () => {
  await world.close();
});

const entries = () => listEntries(world.deps.db, {}, 1_000);

test('every action of the code is among those that are tried here', () => {
  const source = join(import.meta.dirname, '../../src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const named = files.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    if (!text.includes('audit.record(')) return [];
    return [...text.matchAll(/(?:action: |request, |given, )'([a-z-]+\.[a-z-]+)'/g)].map(([, action]) => action);
  });
  // Replacing the master key writes a file, which no transaction can take back.
  expect([...new Set(named)].sort()).toEqual([...Object.keys(acts), 'keys.rotate'].sort());
});

test.for(Object.entries(acts))('%s: exactly one entry, and no effect without it', async ([action, prepare]) => {
  const act = await prepare({ world, clock });
  await jobsDone(world);
  const before = await entries();
  const shown = await fingerprint(world.deps.db);
  await sql`ALTER TABLE audit_entry ADD CONSTRAINT blocked CHECK (number < 0) NOT VALID`.execute(world.deps.db);
  await expect(act()).rejects.toThrow(/blocked/);
  await sql`ALTER TABLE audit_entry DROP CONSTRAINT blocked`.execute(world.deps.db);
  expect(await fingerprint(world.deps.db)).toEqual(shown);

  await act();
  const after = await entries();
  expect(after.length).toBe(before.length + 1);
  const who = actsOfMembers.has(action) ? { actor_kind: 'staff' } : { actor_kind: 'command-line', actor: 'tests' };
  expect(after[0]).toMatchObject({ action, ...who, at: clock.now() });
  expect(await fingerprint(world.deps.db)).not.toEqual(shown);
});

test('what was there before is kept where a value changes', async () => {
  const [price] = await listEntries(world.deps.db, { action: 'settings.set' }, 1);
  expect(price).toMatchObject({
    target_kind: 'setting',
    target_id: 'price.usdCentsPerGb',
    changed: { value: ['3', '7'] },
  });
  const [plan] = await listEntries(world.deps.db, { action: 'plans.set', target: { kind: 'plan', id: 'basic' } }, 1);
  expect(plan?.changed).toEqual({ priceToman: [99_000, 98_000] });
  const [adjusted] = await listEntries(world.deps.db, { action: 'accounts.adjust' }, 1);
  expect(adjusted).toMatchObject({ operator: 'Maryam', reason: 'they asked for it', details: { amountToman: 7_000 } });
});

test('users see what was done about them, without who did it or why', async () => {
  const user = await world.user();
  await adjustBalance(world.deps, { actor, operator: 'Maryam', reason: 'secret', email: user.email, amountToman: 5n });
  const { data } = await user.api.listOperatorActions();
  expect(data.actions).toEqual([
    { id: expect.any(String), kind: 'balance_adjusted', created_at: clock.now().toISOString() },
  ]);
});

test('no entry has an address of a user', async () => {
  const { rows } = await sql`SELECT e::text FROM audit_entry e WHERE e::text LIKE '%@%'`.execute(world.deps.db);
  expect(rows).toEqual([]);
});

test('many at once form one chain', async () => {
  const { entries: before } = await checkChain(world.deps.db, world.deps.vault);
  const one = () => inTransaction(world.deps.db, (tx) => world.deps.audit.record(tx, actor, { action: 'tests.race' }));
  await Promise.all(Array.from({ length: 30 }, one));
  expect(await checkChain(world.deps.db, world.deps.vault)).toMatchObject({ entries: before + 30, broken: [] });
});

test('entries cannot be changed or removed, and what the owner of the table changes is found', async () => {
  const { db, vault } = world.deps;
  for (const statement of ['UPDATE audit_entry SET reason = NULL', 'DELETE FROM audit_entry', 'TRUNCATE audit_entry'])
    await expect(sql.raw(statement).execute(db)).rejects.toThrow(/append-only/);
  // The owner of the table can.
  await sql`ALTER TABLE audit_entry DISABLE TRIGGER USER`.execute(db);
  await sql`UPDATE audit_entry SET details = '{"amountToman": 8000}' WHERE number = 3`.execute(db);
  await sql`DELETE FROM audit_entry WHERE number = 5`.execute(db);
  expect((await checkChain(db, vault)).broken).toEqual([3n, 5n]);
});

import { sql } from 'kysely';
import { expect } from 'vitest';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { withBreak } from '../break-connection.ts';
import { fingerprint } from '../fingerprint.ts';
import { jobsDone } from '../jobs-done.ts';
import type { TestWorld } from '../world.ts';

/** A call of the console that can be sent as it is until it goes through, with what stood before it. */
export interface ReadyCall {
  /** Its status. */
  send(): Promise<number>;
  readonly before: Awaited<ReturnType<typeof standing>>;
  readonly entries: number;
}

/** What a call leaves: one entry of this action by this member, and whether anything else is changed. */
export interface Recorded {
  readonly action: string;
  readonly actor: string;
  readonly changes: boolean;
}

export async function readyCall(world: TestWorld, send: ReadyCall['send']): Promise<ReadyCall> {
  await jobsDone(world);
  return { send, before: await standing(world), entries: await countEntries(world) };
}

export async function standing({ deps }: TestWorld) {
  const { audit_entry: audit, ...rest } = await fingerprint(deps.db);
  return { audit, rest };
}

async function countEntries({ deps }: TestWorld): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_entry`.execute(deps.db);
  return rows[0]?.count ?? 0;
}

/** Since it was made ready, the whole effect is there with its one entry. */
export async function expectRecorded(
  world: TestWorld,
  { before, entries }: ReadyCall,
  record: Recorded,
): Promise<void> {
  const now = await listEntries(world.deps.db, {}, 1);
  expect(await countEntries(world)).toBe(entries + 1);
  const { action, actor } = record;
  expect(now[0]).toMatchObject({ action, actor_kind: 'staff', actor });
  const { rest } = await standing(world);
  if (record.changes) expect(rest).not.toEqual(before.rest);
  else expect(rest).toEqual(before.rest);
}

/**
 * Kills the call before each of its statements, until it goes through, and then another such call after each COMMIT, whose answer is lost.
 * Effect and entry are there both or neither. Returns the second call, which was done and answered as a failure.
 */
export async function expectBothOrNeither(
  world: TestWorld,
  prepare: () => Promise<ReadyCall>,
  record: Recorded,
): Promise<ReadyCall> {
  // Every five seconds settings are read anew: with a statement more in one round than in the next, the count passes the COMMIT.
  let commits = 0;
  for (let round = 1; commits === 0 && round <= 5; round += 1)
    commits = await breakEachStatement(world, prepare, record);
  expect(commits).toBeGreaterThan(0);

  const again = await prepare();
  for (let commit = 1; (await countEntries(world)) === again.entries; commit += 1)
    expect(await withBreak({ commit }, again.send)).toBe('commit');
  await expectRecorded(world, again, record);
  return again;
}

/** Breaks one statement after the other, until the call goes through. Returns how many of them were a COMMIT. */
async function breakEachStatement(
  world: TestWorld,
  prepare: () => Promise<ReadyCall>,
  record: Recorded,
): Promise<number> {
  const ready = await prepare();
  let commits = 0;
  for (let statement = 1; ; statement += 1) {
    let status = 0;
    const broken = await withBreak({ statement }, async () => {
      status = await ready.send();
    });
    // A look that was begun stays, even if nothing was seen.
    if (broken === undefined || (await countEntries(world)) !== ready.entries) break;
    // Nobody is shown, or has changed, what the audit does not know.
    expect([record.action, statement, status >= 500]).toEqual([record.action, statement, true]);
    if (broken !== 'commit') continue;
    // All that was begun until here was undone.
    commits += 1;
    expect(await standing(world)).toEqual(ready.before);
  }
  await expectRecorded(world, ready, record);
  return commits;
}

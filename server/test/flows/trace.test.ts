import { Writable } from 'node:stream';
import type { TraceOutcome } from '@raha/contract/admin/fleet.ts';
import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Command, Context } from '../../src/cli/context.ts';
import { traceCommands } from '../../src/cli/trace-command.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { dumpEverything } from '../canaries.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { fingerprint } from '../fingerprint.ts';
import { jobsDone } from '../jobs-done.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { eventually, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** A complaint about a connection: a server is asked whose it is, and nothing of it is kept (decision 117). */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const logged: string[] = [];
const reason = 'complaint A-17 of the data centre';
/** No other number of the product is one of these. */
const [PORT, REMOTE] = [46_813, 46_827];
let world: TestWorld;
let node: FakeNode;
let other: FakeNode;
let user: TestUser;
let config: string;
let member: Colleague;
let asked: TraceQuestion[];
let stop: () => Promise<void> = async () => {};

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  const overrides = { minuteLimit: unlimited, traceWaitMs: 60_000 };
  world = await openTestWorld({ clock, restores: false, overrides, log: createLog('trace', destination) });
  [node, other] = [await enrolFakeNode(world), await enrolFakeNode(world)];
  user = await world.user();
  config = await makeConfig(node, 'گوشی');
  await node.settle();
  await other.settle();
});
beforeEach(async () => {
  await stop();
  // A member has two traces an hour.
  await Promise.all([node.report([]), other.report([])]);
  member = await openColleague(world, 'admin');
});
afterAll(async () => {
  await stop();
  await world.close();
});

async function makeConfig(at: FakeNode, name: string): Promise<string> {
  return (await user.api.createConfig({ body: { name, serverId: at.id } })).data.config.id;
}

/** Lets a node answer what it is asked, as its long poll brings it. */
function answer(
  given: TraceAnswer,
  from = node,
  tell: (id: string) => Promise<unknown> = (id) => reply(from, id, given),
) {
  let isOver = false;
  asked = [];
  from.answersTraces = true;
  const work = (async () => {
    while (!isOver) {
      const state = await from.sync(1);
      if (state.kind !== 'unchanged' || !state.trace) continue;
      asked.push(state.trace);
      await tell(state.trace.id);
    }
  })();
  stop = async () => {
    isOver = true;
    await work;
    from.answersTraces = false;
  };
}
const reply = (from: FakeNode, id: string, given: TraceAnswer) =>
  from.call('POST', '/trace-answers', { id, answer: given });

const question = { family: 4, protocol: 'tcp', port: PORT, remote_port: REMOTE, reason } as const;
async function ask(by = member, about: object = question, at = node.id) {
  const { status, body } = await by.browser.post(`/admin/nodes/${at}/trace`, about);
  return { status, code: body.code, message: body.message, outcome: body.data as TraceOutcome | undefined };
}
const outcome = async (...words: Parameters<typeof ask>) => (await ask(...words)).outcome;

const entries = async () =>
  (await listEntries(world.deps.db, { actor: member.userId }, 10)).map(({ action }) => action);
const notified = async () => {
  const { rows } = await sql<{ id: string }>`SELECT id FROM notification WHERE kind = 'config_traced'`.execute(
    world.deps.db,
  );
  return rows.map(({ id }) => id).sort();
};
async function nobodyIsNotified(work: () => Promise<void>): Promise<void> {
  const before = await notified();
  await work();
  expect(await notified()).toEqual(before);
  expect(await entries()).not.toContain('nodes.trace-found');
}

test('the server names the config; its owner is told in the bell and by mail, and the audit has who, where, why and whose', async () => {
  answer({ kind: 'config', config });
  expect(await ask()).toMatchObject({ status: 200, outcome: { outcome: 'found', config, user: user.id } });
  const { id, ...sent } = asked[0] as TraceQuestion;
  expect(sent).toEqual({ family: 4, protocol: 'tcp', port: PORT, remotePort: REMOTE });
  const [found, begun] = await listEntries(world.deps.db, { actor: member.userId }, 2);
  const target = { target_kind: 'node', target_id: node.id, actor: member.userId, reason };
  expect(begun).toMatchObject({ ...target, action: 'nodes.trace', user_id: null, details: {}, changed: {} });
  expect(found).toMatchObject({ ...target, action: 'nodes.trace-found', user_id: user.id, details: { config } });
  expect(await notified()).toHaveLength(1);
  const { notifications } = (await user.api.listNotifications({ query: { limit: 50 } })).data;
  const shown = notifications.find(({ kind }) => kind === 'config_traced');
  expect(shown).toMatchObject({ type: 'warning', read: false });
  expect(shown?.message).toContain('گوشی');
  const mail = await eventually(() => world.mails.find(({ to, text }) => to === user.email && text.includes('شکایت')));
  expect(mail.text).toContain('گوشی');
  const { data } = await user.api.listOperatorActions();
  expect(data.actions[0]?.kind).toBe('config_traced');
  expect(id).not.toBe('');
});

test('nothing is kept but the audit, the notification and that it was mailed, and the ports stand nowhere', async () => {
  answer({ kind: 'config', config });
  await jobsDone(world);
  const before = await fingerprint(world.deps.db);
  expect((await outcome())?.outcome).toBe('found');
  await jobsDone(world);
  const after = await fingerprint(world.deps.db);
  const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
  expect(changed.sort()).toEqual(['audit_entry', 'delivery', 'notification']);
  const kept = [...(await dumpEverything(world)).map(({ text }) => text), ...logged];
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.some((text) => text.includes(reason))).toBe(true);
  // As a number of its own: the digits alone stand in one of so many random keys now and then.
  const aPort = new RegExp(`(?<![0-9a-f])(${PORT}|${REMOTE})(?![0-9a-f])`, 'i');
  expect(JSON.stringify(question)).toMatch(aPort);
  expect(kept.filter((text) => aPort.test(text))).toEqual([]);
});

test.each<[string, TraceAnswer]>([
  ['unused', { kind: 'unused' }],
  ['several', { kind: 'several', configs: 3 }],
  ['unable', { kind: 'unable' }],
])('the answer “%s” names nobody', async (kind, given) => {
  answer(given);
  await nobodyIsNotified(async () => {
    expect(await outcome()).toEqual({ outcome: kind, ...(given.kind === 'several' ? { configs: 3 } : {}) });
  });
  expect(await entries()).toContain('nodes.trace');
});

test('a server is not believed about configs of others, nor about what another one was asked', async () => {
  const foreign = await makeConfig(other, 'لپ‌تاپ');
  await other.settle();
  answer({ kind: 'config', config: foreign });
  await nobodyIsNotified(async () => expect(await outcome()).toEqual({ outcome: 'unable' }));
  await stop();
  // The other one answers in its place, and comes first.
  answer({ kind: 'unused' }, node, async (id) => {
    await reply(other, id, { kind: 'config', config });
    await reply(node, id, { kind: 'unused' });
  });
  await nobodyIsNotified(async () => expect(await outcome()).toEqual({ outcome: 'unused' }));
});

test('only who may, with a fresh proof and a reason', async () => {
  answer({ kind: 'config', config });
  for (const role of ['support', 'finance', 'auditor'] as const)
    expect(await ask(await openColleague(world, role)), role).toMatchObject({ status: 403, code: 'forbidden' });
  expect((await ask(member, { ...question, reason: '' })).status).toBe(422);
  expect((await ask(member, { ...question, port: 0 })).status).toBe(422);
  expect((await ask(member, { ...question, protocol: 'icmp' })).status).toBe(422);
  const longAgo = addSeconds(clock.now(), -16 * 60);
  await sql`UPDATE staff_session SET proved_at = ${longAgo} WHERE user_id = ${member.userId}`.execute(world.deps.db);
  expect(await ask()).toMatchObject({ status: 401, code: 'proof_needed' });
  expect(asked).toEqual([]);
});

test('the command line asks as the console does, in the name of the machine’s user', async () => {
  const { run } = traceCommands['nodes trace'] as Command;
  const { rows } = await sql<{ name: string }>`SELECT name FROM node WHERE id = ${node.id}`.execute(world.deps.db);
  const given = { node: rows[0]?.name, port: String(PORT), 'remote-port': String(REMOTE), protocol: 'udp', reason };
  const raha = (flags: Context['flags']) => run({ ...world.deps, flags, positionals: [] });
  answer({ kind: 'config', config });
  const before = await notified();
  const found = await raha({ ...given, ipv6: true });
  expect(found).toMatchObject({ data: { outcome: 'found', config, user: user.id }, exitCode: 0 });
  expect(asked[0]).toMatchObject({ family: 6, protocol: 'udp', port: PORT, remotePort: REMOTE });
  expect(await notified()).toHaveLength(before.length + 1);
  const [entry] = await listEntries(world.deps.db, { action: 'nodes.trace-found' }, 1);
  expect(entry).toMatchObject({ actor_kind: 'command-line', reason, user_id: user.id, details: { config } });
  await expect(raha({ ...given, port: '0' })).rejects.toThrow('--port takes a whole number from 1 to 65535.');
  await expect(raha({ ...given, protocol: 'icmp' })).rejects.toThrow('--protocol takes tcp or udp.');
  await stop();
  answer({ kind: 'unused' });
  expect(await raha(given)).toMatchObject({ data: { outcome: 'unused' }, exitCode: 0 });
  await expect(raha(given)).rejects.toThrow('A server may be asked 2 times an hour. Ask again in 60 minutes.');
});

test('an agent of before traces, a server that is silent and one that is offline are told apart', async () => {
  const poll = node.sync(20);
  await nobodyIsNotified(async () => expect(await outcome()).toEqual({ outcome: 'old_agent' }));
  // The poll of such an agent is not ended by the question.
  expect(await Promise.race([poll, 'it waits'])).toBe('it waits');
  await world.deps.bus.announce(world.deps.db, { topic: 'node-state' }, { nodeId: node.id });
  await poll;
  Object.assign(world.deps, { traceWaitMs: 300 });
  expect(await outcome(await openColleague(world, 'admin'))).toEqual({ outcome: 'no_answer' });
  Object.assign(world.deps, { traceWaitMs: 60_000 });
  await other.goOffline();
  const before = await entries();
  expect(await outcome(member, question, other.id)).toEqual({ outcome: 'offline' });
  // It was not asked, which is no trace.
  expect(await entries()).toEqual(before);
});

test('where another config had the inner address within the last hours, nobody is named', async () => {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO config SELECT (jsonb_populate_record(c, jsonb_build_object(
      'id', gen_random_uuid(), 'credential', 'another', 'deleted_at', ${clock.now()}::timestamptz,
      'removed_at', ${clock.now()}::timestamptz
    ))).* FROM config c WHERE id = ${config} RETURNING id
  `.execute(world.deps.db);
  answer({ kind: 'config', config });
  await nobodyIsNotified(async () => expect(await outcome()).toEqual({ outcome: 'several', configs: 2 }));
  clock.advance(3 * 3_600_000);
  await node.report([]);
  member = await openColleague(world, 'admin');
  expect((await outcome())?.outcome).toBe('found');
  await sql`DELETE FROM config WHERE id = ${rows[0]?.id}`.execute(world.deps.db);
});

test('a member asks twice an hour, also at the same moment; another one still may', async () => {
  answer({ kind: 'unused' });
  const all = await Promise.all(Array.from({ length: 4 }, () => ask()));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  const refused = all.find(({ status }) => status === 429);
  expect(refused?.code).toBe('traces_used_up');
  expect((await entries()).filter((action) => action === 'nodes.trace')).toHaveLength(2);
  expect(await outcome(await openColleague(world, 'super_admin'))).toEqual({ outcome: 'unused' });
  expect(await later(3_540_000)).toMatchObject({ status: 429, code: 'traces_used_up' });
  expect(await later(61_000)).toMatchObject({ status: 200 });
});

async function later(ms: number) {
  clock.advance(ms);
  await node.report([]);
  const now = clock.now();
  await sql`UPDATE staff_session SET last_used_at = ${now}, proved_at = ${now} WHERE user_id = ${member.userId}`.execute(
    world.deps.db,
  );
  return await ask();
}

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeAlert } from '@raha/contract/admin/alert-rules.ts';
import type { Alert } from '@raha/contract/admin/alerts.ts';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAlertWebhook } from '../../src/adapters/alert-webhook/alert-webhook.ts';
import { createMailer } from '../../src/adapters/mail/mail.ts';
import { checkWebhook } from '../../src/adapters/stores/standard-webhook.ts';
import { LOOK_FOR_CAUSES, lookForWorker } from '../../src/app/watch-worker.ts';
import { allJobs, allSchedules } from '../../src/app/work.ts';
import { alertCommands } from '../../src/cli/alert-commands.ts';
import type { Command } from '../../src/cli/context.ts';
import { keepAlerts } from '../../src/modules/alerts/keep-alerts.ts';
import type { Cause } from '../../src/modules/alerts/rules.ts';
import { sendMessages } from '../../src/modules/alerts/send-messages.ts';
import { listNodes } from '../../src/modules/fleet/nodes.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { noteRun } from '../../src/platform/schedule-runs.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** Alerts from the cause to a real mail server and a real receiver of webhooks, with the schedules of the worker. */
const clock = manualClock(new Date('2026-11-25T08:00:00Z'));
const secret = Buffer.alloc(32, 7);
const posts: { headers: IncomingHttpHeaders; body: string }[] = [];
const mails: { to: string; source: string }[] = [];
let answer = 200;
let refusesMail = false;
let smtpUrl: string;
let world: TestWorld;
let boss: Colleague;
let node: FakeNode;
let nodeName: string;
let deps: TestWorld['deps'];

const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    posts.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(answer).end();
  });
});
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, session, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (refusesMail) return done(new Error('no room'));
      for (const { address } of session.envelope.rcptTo)
        mails.push({ to: address, source: Buffer.concat(chunks).toString() });
      done();
    });
  },
});

beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => void mailServer.listen(0, '127.0.0.1', done));
  world = await openTestWorld({ clock, keepsNodes: false });
  boss = await openColleague(world, 'super_admin');
  node = await enrolFakeNode(world);
  nodeName = (await listNodes(world.deps.db))[0]?.name ?? '';
  smtpUrl = `smtp://127.0.0.1:${(mailServer.server.address() as AddressInfo).port}`;
  const from = { name: async () => 'رها', address: 'no-reply@raha.example' };
  deps = Object.assign(Object.create(world.deps) as TestWorld['deps'], {
    mailer: createMailer({ smtpUrl, outboxDir: '', from, clock }),
    alertWebhook: webhookTo('/hook'),
    config: { ...world.deps.config, operatorEmail: 'Duty@raha.example' },
  });
  for (const { name } of allSchedules) await noteRun(deps.db, name, clock.now());
});
afterAll(async () => {
  receiver.close();
  await new Promise<void>((done) => mailServer.close(() => done()));
  await world.close();
});
beforeEach(async () => {
  await sql`DELETE FROM alert`.execute(deps.db);
  posts.length = 0;
  mails.length = 0;
  answer = 200;
  refusesMail = false;
});

function webhookTo(path: string) {
  const { port } = receiver.address() as AddressInfo;
  return createAlertWebhook({ url: `http://127.0.0.1:${port}${path}`, secret, clock });
}

/** One round of the worker's schedules. */
async function round(seconds: number): Promise<void> {
  clock.advance(seconds * 1_000);
  for (const name of [LOOK_FOR_CAUSES, 'send alerts'])
    await allSchedules.find((schedule) => schedule.name === name)?.run(deps);
}

const silent = (more: Partial<Cause> = {}): Cause => ({
  ...{ rule: 'node_silent', cause: 'de1', figure: null, forSeconds: 0 },
  ...more,
});
const keep = async (causes: readonly Cause[], seconds = 0) => {
  clock.advance(seconds * 1_000);
  await keepAlerts(deps, causes, () => true);
  await sendMessages(deps);
};
const typesOf = () => posts.map(({ body }) => (JSON.parse(body) as { type: string }).type);
/** The clock goes by hours here, and a session of the console rests for half of one. */
const stayAwake = () =>
  sql`UPDATE staff_session SET last_used_at = ${clock.now()}, expires_at = ${addDays(clock.now(), 1)}`.execute(deps.db);
const inbox = async () => {
  await stayAwake();
  const { body } = await boss.browser.call('GET', '/admin/alerts');
  return body.data as { open: Alert[]; closed: Alert[] };
};
const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const alertAbout = (list: readonly Alert[], rule: string) => list.find((alert) => alert.rule === rule);

test('a server that is silent is one alert, by mail and webhook, and closes when it reports again', async () => {
  await node.report([]);
  await round(30);
  expect(alertAbout((await inbox()).open, 'node_silent')).toBeUndefined();
  for (let turn = 0; turn < 8; turn += 1) await round(60);
  const about = (list: readonly { body: string }[]) => list.filter(({ body }) => body.includes('"node_silent"'));
  expect(about(posts)).toHaveLength(1);
  const { headers, body } = about(posts)[0] as (typeof posts)[number];
  const header = (name: string) => headers[name] as string;
  const message = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), body };
  const signed = { ...message, signature: header('webhook-signature') };
  const at = new Date(Number(message.timestamp) * 1_000);
  expect(checkWebhook(secret, signed, at)).toEqual({ kind: 'accepted', webhookId: message.id });
  expect(JSON.parse(body)).toMatchObject({
    type: 'alert.opened',
    data: {
      rule: 'node_silent',
      cause: nodeName,
      severity: 'page',
      title: `The VPN server ${nodeName} does not report.`,
    },
  });
  expect(new Set(mails.map(({ to }) => to))).toEqual(new Set([boss.email, 'duty@raha.example']));
  expect(alertAbout((await inbox()).open, 'node_silent')).toMatchObject({ cause: nodeName, severity: 'page' });

  await node.report([]);
  await round(20);
  expect(alertAbout((await inbox()).open, 'node_silent')).toBeDefined();
  for (let turn = 0; turn < 3; turn += 1) {
    clock.advance(50_000);
    await node.report([]);
    await round(1);
  }
  expect(alertAbout((await inbox()).open, 'node_silent')).toBeUndefined();
  expect(alertAbout((await inbox()).closed, 'node_silent')).toMatchObject({ cause: nodeName });
  expect(about(posts).map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
    'alert.opened',
    'alert.closed',
  ]);
});

test('what the worker did not do is an alert: a schedule that ended well too long ago, a proof that is missing', async () => {
  for (const { name } of allSchedules) await noteRun(deps.db, name, clock.now());
  const late = 'keep monthly caps';
  for (let minute = 0; minute < 8; minute += 1) {
    for (const { name } of allSchedules) if (name !== late) await noteRun(deps.db, name, clock.now());
    await round(60);
  }
  const { open } = await inbox();
  expect(open.filter(({ rule }) => rule === 'schedule_late').map(({ cause }) => cause)).toEqual([late]);
  expect(alertAbout(open, 'ledger_not_proved')).toMatchObject({ severity: 'page' });
});

test('every schedule, queue and channel has a Persian name, and a server keeps its own', () => {
  const titleOf = (rule: 'schedule_late' | 'jobs_failed' | 'alert_undelivered' | 'node_silent', cause: string) =>
    describeAlert({ rule, cause, figure: 1 }, 'fa').title;
  const titles = [
    ...allSchedules.map(({ name }) => titleOf('schedule_late', name)),
    ...allJobs.map(({ name }) => titleOf('jobs_failed', name)),
    ...['mail', 'webhook'].map((channel) => titleOf('alert_undelivered', channel)),
  ];
  expect(titles.filter((title) => /[a-z]/i.test(title))).toEqual([]);
  expect(titleOf('node_silent', 'mail')).toContain('mail');
});

describe('delivery', () => {
  test('a receiver that fails gets the same message with the same id until it takes it', async () => {
    answer = 500;
    await keep([silent()]);
    await sendMessages(deps);
    expect(posts).toHaveLength(1);
    clock.advance(10_000);
    answer = 204;
    await sendMessages(deps);
    clock.advance(3_600_000);
    await sendMessages(deps);
    expect(posts.map(({ headers }) => headers['webhook-id'])).toEqual([
      posts[0]?.headers['webhook-id'],
      posts[0]?.headers['webhook-id'],
    ]);
    expect(posts[0]?.body).toBe(posts[1]?.body);
    expect(posts[0]?.headers['webhook-timestamp']).not.toBe(posts[1]?.headers['webhook-timestamp']);
  });

  test('a process killed between the sending and its note: it goes out again, with the same id', async () => {
    await keepAlerts(deps, [silent()], () => true);
    const real = webhookTo('/hook');
    let posted: () => void = () => undefined;
    const isPosted = new Promise<void>((done) => (posted = done));
    const dying = Object.assign(Object.create(deps) as typeof deps, {
      // As after a kill: the receiver has it, and nothing is written any more.
      alertWebhook: {
        host: '',
        send: async (message: Parameters<typeof real.send>[0]) => {
          await real.send(message);
          posted();
          await new Promise(() => undefined);
        },
      },
    });
    void sendMessages(dying);
    await isPosted;
    await sendMessages(deps);
    expect(posts).toHaveLength(1);
    clock.advance(60_000);
    await sendMessages(deps);
    await sendMessages(deps);
    expect(posts).toHaveLength(2);
    expect(posts[0]?.headers['webhook-id']).toBe(posts[1]?.headers['webhook-id']);
  });

  test('several processes at once send each message once', async () => {
    await keepAlerts(deps, [silent(), silent({ cause: 'nl1' })], () => true);
    await Promise.all([1, 2, 3, 4].map(() => sendMessages(deps)));
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(posts.length);
    expect(posts).toHaveLength(2);
    expect(mails).toHaveLength(4);
  });

  test('a channel that does not work is an alert of its own, by the other channel', async () => {
    answer = 404;
    await keep([silent()]);
    for (const seconds of [10, 30]) {
      clock.advance(seconds * 1_000);
      await sendMessages(deps);
    }
    mails.length = 0;
    await round(1);
    const { open } = await inbox();
    expect(alertAbout(open, 'alert_undelivered')).toMatchObject({ cause: 'webhook' });
    const { rows } = await sql<{ channel: string }>`
      SELECT DISTINCT channel FROM alert_message m JOIN alert a ON a.id = m.alert_id WHERE a.rule = 'alert_undelivered'
    `.execute(deps.db);
    expect(rows).toEqual([{ channel: 'mail' }]);
    expect(mails.length).toBeGreaterThan(0);
  });

  test('a member who works here no longer gets nothing', async () => {
    const other = await openColleague(world, 'admin');
    await keepAlerts(deps, [silent()], () => true);
    await sql`UPDATE staff_member SET disabled_at = now() WHERE user_id = ${other.userId}`.execute(deps.db);
    await sendMessages(deps);
    expect(mails.map(({ to }) => to).sort()).toEqual([boss.email, 'duty@raha.example'].sort());
  });
});

describe('what staff do about one', () => {
  const act = async (id: string | undefined, what: string, body: unknown) => {
    await stayAwake();
    return await boss.browser.post(`/admin/alerts/${id}/${what}`, body);
  };
  const idOf = async () => (await inbox()).open[0]?.id;

  test('nobody takes it on: a page comes again each hour; taken on, only when asked for', async () => {
    await keep([silent()]);
    await keep([silent()], 3_599);
    expect(typesOf()).toEqual(['alert.opened']);
    await keep([silent()], 1);
    expect(typesOf()).toEqual(['alert.opened', 'alert.reminded']);
    expect(await act(await idOf(), 'acknowledge', { remind_minutes: 15 })).toMatchObject({ status: 200 });
    expect((await inbox()).open).toMatchObject([{ acknowledged_by: boss.email }]);
    await keep([silent()], 15 * 60);
    expect(typesOf()).toHaveLength(3);
    for (let hour = 0; hour < 3; hour += 1) await keep([silent()], 3_600);
    expect(typesOf()).toHaveLength(3);
  });

  test('silenced: nothing is sent, also when it goes and comes again; at the end it is, if it stands', async () => {
    await keep([silent()]);
    expect(await act(await idOf(), 'silence', { minutes: 60 })).toMatchObject({ status: 200 });
    await keep([], 150);
    expect((await inbox()).open).toEqual([]);
    await keep([silent()], 60);
    await keep([silent()], 60);
    expect((await inbox()).open).toMatchObject([{ silenced_by: boss.email }]);
    expect(typesOf()).toEqual(['alert.opened']);
    await keep([silent()], 3_600);
    expect(typesOf()).toEqual(['alert.opened', 'alert.opened']);
    await keep([], 150);
    expect(typesOf()).toEqual(['alert.opened', 'alert.opened', 'alert.closed']);
  });

  test('one that has closed is not taken on, and one that nobody knows is not found', async () => {
    await keep([silent()]);
    const id = await idOf();
    await keep([], 150);
    expect(await act(id, 'acknowledge', { remind_minutes: null })).toMatchObject({ status: 409 });
    expect(await act('00000000-0000-7000-8000-000000000000', 'silence', { minutes: 60 })).toMatchObject({
      status: 404,
    });
    expect(await act(id, 'silence', { minutes: 61 })).toMatchObject({ status: 422 });
  });
});

test('a worker that is gone is seen by the servers, who send it themselves, once; the worker closes it', async () => {
  await noteRun(deps.db, LOOK_FOR_CAUSES, clock.now());
  expect(await lookForWorker(deps, clock.now())).toBe(true);
  clock.advance(181_000);
  expect(await Promise.all([lookForWorker(deps, clock.now()), lookForWorker(deps, clock.now())])).toEqual([
    false,
    false,
  ]);
  expect(typesOf()).toEqual(['alert.opened']);
  expect((await inbox()).open).toMatchObject([{ rule: 'worker_silent', severity: 'page' }]);
  await keep([], 150);
  expect(typesOf()).toEqual(['alert.opened', 'alert.closed']);
});

test('no cause that cannot be looked at closes an alert', async () => {
  await keep([silent()]);
  const broken = Object.assign(Object.create(deps) as typeof deps, {
    exchangeRate: { current: () => Promise.reject(new Error('the database is away')) },
  });
  clock.advance(600_000);
  await expect(allSchedules.find(({ name }) => name === LOOK_FOR_CAUSES)?.run(broken)).rejects.toThrow();
  expect((await inbox()).open).toHaveLength(1);
});

describe('the command line', () => {
  /** Runs a command as the operator's machine does. */
  const raha = async (name: keyof typeof alertCommands, flags: Record<string, string | boolean> = {}) => {
    const { port } = receiver.address() as AddressInfo;
    const alertWebhook = {
      url: `http://127.0.0.1:${port}/hook`,
      secret: `whsec_${secret.toString('base64')}`,
    };
    const config = { ...deps.config, smtpUrl, alertWebhook };
    const { run } = alertCommands[name] as Command;
    const { db, databaseUrl, vault, audit, log } = deps;
    return await run({ db, databaseUrl, vault, audit, log, clock, config, flags, positionals: [] });
  };

  test('alerts test sends one by every channel, and fails with a sentence for each that does not work', async () => {
    const good = await raha('alerts test');
    expect(good).toMatchObject({
      exitCode: 0,
      lines: [/^sent {5}mail to/, /^sent {5}mail to/, /^sent {5}webhook to/].map(like),
    });
    expect([mails.length, typesOf()]).toEqual([2, ['alert.test']]);
    answer = 503;
    refusesMail = true;
    const bad = await raha('alerts test');
    expect(bad.exitCode).toBe(1);
    expect(bad.lines).toEqual([/^FAILED/, /^FAILED/, /^FAILED .* answers 503$/, /^Not every alert/].map(like));
    expect((await inbox()).open).toEqual([]);
  });

  test('lists, takes on and silences, as the machine', async () => {
    await keep([silent()]);
    const { lines, data } = await raha('alerts list');
    expect(lines).toEqual([like(/page .* The VPN server de1 does not report\. {2}open$/)]);
    const { id } = (data as Alert[])[0] as Alert;
    await raha('alerts acknowledge', { id, 'remind-minutes': '15' });
    await raha('alerts silence', { id, minutes: '60' });
    expect((await raha('alerts list')).lines).toEqual([like(/taken on by the machine, silenced until/)]);
    await expect(raha('alerts silence', { id, minutes: '61' })).rejects.toThrow('--minutes takes one of');
    await keep([], 150);
    await expect(raha('alerts acknowledge', { id })).rejects.toThrow('has just closed');
    expect((await raha('alerts list', { all: true })).lines).toEqual([like(/ closed /)]);
  });
});

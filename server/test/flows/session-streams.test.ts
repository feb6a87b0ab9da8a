import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notificationsChanged } from '../../src/modules/notifications/signals.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

/** However a session ends, its open panels get an event, and their streams end with it. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const NEW_PASSWORD = 'Another-horse-8';
const ENDED = '{"type":"session-ended"}';

async function post(path: string, body: object, cookie = ''): Promise<Response> {
  return await fetch(`${world.origin}${API_BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
}

interface Browser {
  readonly token: string;
  readonly refreshToken: string;
}

async function signedIn(answer: Response): Promise<Browser> {
  const { token } = (await answer.json()) as { token: string };
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('refreshToken=')) ?? '';
  return { token, refreshToken: cookie.split(';')[0]?.split('=')[1] ?? '' };
}

let people = 0;

/** A registration whose address is proved, and the same user in a second browser. */
async function inTwoBrowsers(): Promise<{ email: string; here: Browser; there: Browser }> {
  const { email, here } = await registered();
  await world.client(here.token).verifyEmail({ body: { email, code: await codeFor(world, email) } });
  return { email, here, there: await signedIn(await post('/auth/login', { email, password: PASSWORD })) };
}

async function registered(): Promise<{ email: string; here: Browser }> {
  people += 1;
  const email = `stream${people}@mail.example`;
  const body = { name: 'نیلوفر', email, password: PASSWORD, password_confirmation: PASSWORD };
  return { email, here: await signedIn(await post('/auth/register', body)) };
}

/** A panel's event stream: the events received, and whether the server has ended it. */
async function listen({ token }: Browser) {
  const stream = { received: [] as string[], ended: false, leave: new AbortController() };
  const response = await fetch(`${world.origin}${API_BASE}/realtime`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stream.leave.signal,
  });
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      stream.received.push(...chunk.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : [])));
    stream.ended = true;
  };
  read().catch(() => undefined);
  await eventually(() => stream.received.length > 0 || undefined);
  return stream;
}

async function mailedToken(email: string): Promise<string> {
  const mail = await eventually(() =>
    world.mails.find((sent) => sent.to === email && /reset-password/.test(sent.text)),
  );
  return /reset-password\?token=(\S+)/.exec(mail.text)?.[1] as string;
}

test('a changed password: the other browsers get an event and their streams end, one’s own continues', async () => {
  const { here, there } = await inTwoBrowsers();
  const [own, other] = await Promise.all([listen(here), listen(there)]);
  await world.client(here.token).changePassword({
    body: { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
  });
  await eventually(() => other.ended || undefined);
  expect(other.received.at(-1)).toBe(ENDED);
  expect(own).toMatchObject({ ended: false });
  expect(own.received).not.toContain(ENDED);
  own.leave.abort();
});

test('a password by an emailed link: every stream ends', async () => {
  const { email, here, there } = await inTwoBrowsers();
  const streams = await Promise.all([listen(here), listen(there)]);
  await world.client().forgotPassword({ body: { email } });
  await world.client().resetPassword({ body: { token: await mailedToken(email), password: NEW_PASSWORD } });
  await eventually(() => streams.every(({ ended }) => ended) || undefined);
  expect(streams.map(({ received }) => received.at(-1))).toEqual([ENDED, ENDED]);
});

test('an address proved by its owner: the stream of the earlier registration ends', async () => {
  const { email, here } = await registered();
  const stream = await listen(here);
  clock.advance(61_000);
  await world.client().sendVerificationCode({ body: { email } });
  await world.client().verifyCode({ body: { email, code: await codeFor(world, email, 2) } });
  await eventually(() => stream.ended || undefined);
  expect(stream.received.at(-1)).toBe(ENDED);
});

test('a refresh token used again: the family’s stream ends', async () => {
  const { here } = await registered();
  const stream = await listen(here);
  await post('/auth/refresh', { refreshToken: here.refreshToken });
  clock.advance(11_000);
  expect((await post('/auth/refresh', { refreshToken: here.refreshToken })).status).toBe(401);
  await eventually(() => stream.ended || undefined);
  expect(stream.received.at(-1)).toBe(ENDED);
});

test('signing out with the cookie alone: the stream ends', async () => {
  const { here } = await registered();
  const stream = await listen(here);
  await post('/auth/logout', {}, `refreshToken=${here.refreshToken}`);
  await eventually(() => stream.ended || undefined);
  expect(stream.received.at(-1)).toBe(ENDED);
});

test('a session ended from the list: its stream gets that event and nothing after it', async () => {
  const { here, there } = await inTwoBrowsers();
  const [own, other] = await Promise.all([listen(here), listen(there)]);
  const { data } = await world.client(here.token).listSessions();
  const victim = data.sessions.find(({ current }) => !current)?.id as string;
  await world.client(here.token).endSession({ params: { id: victim } });
  const user = (await world.client(here.token).me()).user.id;
  await world.deps.bus.announce(world.deps.db, notificationsChanged, { userId: user });
  await eventually(() => own.received.includes('{"type":"notification"}') || undefined);
  await eventually(() => other.ended || undefined);
  expect(other.received.at(-1)).toBe(ENDED);
  own.leave.abort();
});

test('signals were lost for a while: open panels get a new hello, ended sessions get their event', async () => {
  const { here, there } = await inTwoBrowsers();
  const [own, other] = await Promise.all([listen(here), listen(there)]);
  const { data } = await world.client(here.token).listSessions();
  const victim = data.sessions.find(({ current }) => !current)?.id as string;
  await sql`UPDATE session SET ended_at = now(), end_reason = 'test' WHERE id = ${victim}`.execute(world.deps.db);
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'raha bus'
  `.execute(world.deps.db);
  await eventually(() => other.ended || undefined);
  expect(other.received.at(-1)).toBe(ENDED);
  await eventually(() => own.received.filter((event) => event === '{"type":"hello"}').length > 1 || undefined);
  own.leave.abort();
});

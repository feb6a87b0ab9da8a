import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSenderKey } from '../../src/adapters/web-push/sender-key.ts';
import { createWebPush } from '../../src/adapters/web-push/web-push.ts';
import { sendPush } from '../../src/modules/notifications/channels/push.ts';
import type { AnyEvent } from '../../src/modules/notifications/kinds.ts';
import { forgetOldSessions } from '../../src/modules/sessions/forget.ts';
import { upsertSubscription } from '../../src/modules/sessions/push-tables.ts';
import { addDays } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { createVault } from '../../src/platform/sealed.ts';
import { openPushService, type PushService } from '../push-service.ts';
import {
  eventually,
  openTestWorld,
  PASSWORD,
  TEST_MASTER_KEY,
  type TestUser,
  type TestWorld,
  unlimited,
  withPassword,
} from '../world.ts';

/** Web Push: a browser that takes notifications is told once per cause, until its session ends (decision 88). */
let world: TestWorld;
let service: PushService;

beforeAll(async () => {
  world = await openTestWorld({ overrides: { minuteLimit: unlimited } });
  service = await openPushService();
});
afterAll(async () => {
  await service.close();
  await world.close();
});
beforeEach(() => {
  service.answer = undefined;
  service.answered.splice(0);
});

type Api = TestUser['api'];
const notify = (...events: AnyEvent[]) => inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, events));
let causes = 0;
const cut = (user: TestUser): AnyEvent => {
  causes += 1;
  return { userId: user.id, kind: 'service_cut', cause: `test ${causes}`, data: { cause: 'money' } };
};
const subscribe = async (api: Api) => {
  const browser = service.subscribe((await api.getPush()).data.publicKey);
  expect((await api.turnPushOn({ body: browser })).data.isOn).toBe(true);
  return browser;
};
/** A user at several browsers, each with its own session. */
const signInAgain = async (user: TestUser, times: number) => {
  const sessions: Api[] = [];
  for (let index = 0; index < times; index += 1) {
    const { token } = await world.client().login({ body: { email: user.email, password: PASSWORD } });
    sessions.push(world.client(token ?? ''));
  }
  return sessions;
};
const isOn = async (api: Api) => (await api.getPush()).data.isOn;
const at = ({ endpoint }: { endpoint: string }) =>
  service.received.filter((received) => received.endpoint === endpoint);
/** Waits until earlier news has been sent: jobs of one queue begin in order. */
async function settled(): Promise<void> {
  const witness = await world.user({ usdCents: 0 });
  const browser = await subscribe(witness.api);
  await notify(cut(witness));
  await eventually(() => at(browser)[0]);
}
async function countSubscriptions(user: TestUser): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM push_subscription p JOIN session s ON s.id = p.session_id WHERE s.user_id = ${user.id}
  `.execute(world.deps.db);
  return Number(rows[0]?.count);
}

describe('what a browser is told', () => {
  test('what happened to the service, in the language of its owner, once per cause', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = await subscribe(user.api);
    const event = cut(user);
    await notify(event, event);
    await notify(event);
    await eventually(() => at(browser)[0]);
    await user.api.updateSettings({ body: { language: 'en' } });
    await notify({ userId: user.id, kind: 'service_restored', cause: 'x', data: {} });
    await eventually(() => at(browser)[1]);
    await settled();
    expect(at(browser).map(({ message }) => message)).toEqual([
      {
        title: 'اینترنت قطع است',
        body: expect.stringContaining('موجودی تمام شد'),
        path: '/user/wallet/charge',
        lang: 'fa',
      },
      { title: 'Internet is back', body: expect.any(String), path: '/user/dashboard', lang: 'en' },
    ]);
    expect(at(browser)[0]?.headers).toMatchObject({ topic: 'service', urgency: 'high' });
    expect(Number(at(browser)[0]?.headers.ttl)).toBeGreaterThan(11 * 3600);
  });

  test('that the balance is low, without saying how much it is', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = await subscribe(user.api);
    const low = { userId: user.id, kind: 'low_balance', data: { percent: 20, balanceToman: 12_345 } } as const;
    await notify({ ...low, cause: 'a' });
    await eventually(() => at(browser)[0]);
    await notify({ ...low, cause: 'b', data: { ...low.data, hours: 5 } });
    await eventually(() => at(browser)[1]);
    const bodies = at(browser).map(({ message }) => message.body);
    expect(bodies).toEqual([expect.stringContaining('۲۰٪'), expect.stringContaining('حدود ۵ ساعت')]);
    expect(bodies.join()).not.toMatch(/تومان|۳۴۵|345/);
  });

  test('of other kinds it is not told', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = await subscribe(user.api);
    await notify({ userId: user.id, kind: 'config_live', cause: 'a', data: { name: 'گوشی' } });
    await settled();
    expect(at(browser)).toEqual([]);
  });
});

describe('as long as its session lasts', () => {
  test('signed out, told to stop, or ended from another device: it is told nothing more', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    const sessions = await signInAgain(user, 3);
    const [signedOut, stopped, ended] = sessions as [Api, Api, Api];
    const browsers = await Promise.all(sessions.map(subscribe));
    await signedOut.logout();
    expect((await stopped.turnPushOff()).data.isOn).toBe(false);
    const { data } = await ended.listSessions();
    await user.api.endSession({ params: { id: data.sessions.find(({ current }) => current)?.id ?? '' } });
    expect(await countSubscriptions(user)).toBe(0);
    await notify(cut(user));
    await settled();
    expect(browsers.flatMap(at)).toEqual([]);
  });

  test('ending all other sessions silences theirs and leaves its own', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    const [other] = (await signInAgain(user, 1)) as [Api];
    const theirs = await subscribe(other);
    const own = await subscribe(user.api);
    await user.api.endOtherSessions();
    await notify(cut(user));
    await eventually(() => at(own)[0]);
    await settled();
    expect(at(theirs)).toEqual([]);
  });

  test('news that waits for a browser is sent neither after sign-out nor half a day later', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = await subscribe(user.api);
    const sessionId = (await user.api.listSessions()).data.sessions[0]?.id ?? '';
    const now = world.deps.clock.now();
    const send = (until: Date) =>
      sendPush(world.deps, { sessionId, until: until.toISOString(), title: '', body: '', path: '/', lang: 'fa' });
    await send(addDays(now, 1));
    await send(now);
    expect(at(browser)).toHaveLength(1);
    await user.api.logout();
    await send(addDays(now, 1));
    expect(at(browser)).toHaveLength(1);
  });

  test('turned on while it is ended: nothing is kept of it', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    for (const api of await signInAgain(user, 5)) {
      const browser = service.subscribe((await api.getPush()).data.publicKey);
      await Promise.allSettled([api.turnPushOn({ body: browser }), api.logout()]);
    }
    expect(await countSubscriptions(user)).toBe(0);
  });

  test('ended while a browser is being added: what was just written is not kept', async () => {
    const { db, clock } = world.deps;
    const user = await world.user({ usdCents: 0 });
    const sessionId = (await user.api.listSessions()).data.sessions[0]?.id ?? '';
    let ending: Promise<unknown> | undefined;
    await inTransaction(db, async (tx) => {
      await upsertSubscription(tx, { sessionId, mark: randomBytes(32), sealed: 'sealed' }, clock.now());
      ending = user.api.logout();
      await eventually(async () => {
        const { rows } = await sql`
          SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE session%'
            AND datname = current_database()
        `.execute(db);
        return rows.length > 0;
      });
    });
    await ending;
    expect(await countSubscriptions(user)).toBe(0);
  });

  test('a session that ran out is told nothing, and its row goes', async () => {
    const user = await world.user({ usdCents: 0 });
    await subscribe(user.api);
    await forgetOldSessions(world.deps.db, world.deps.clock.now());
    expect(await countSubscriptions(user)).toBe(1);
    await forgetOldSessions(world.deps.db, addDays(world.deps.clock.now(), 31));
    expect(await countSubscriptions(user)).toBe(0);
  });

  test('an erased account leaves no address', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    await subscribe(user.api);
    await user.api.deleteAccount({ body: { password: PASSWORD } });
    expect(await countSubscriptions(user)).toBe(0);
  });
});

describe('one row per browser', () => {
  test('two tabs of one browser that turn it on at once are told once', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = service.subscribe((await user.api.getPush()).data.publicKey);
    await Promise.all([1, 2, 3].map(() => user.api.turnPushOn({ body: browser })));
    await notify(cut(user));
    await eventually(() => at(browser)[0]);
    await settled();
    expect(at(browser)).toHaveLength(1);
  });

  test('a new address of the browser takes the place of the old one', async () => {
    const user = await world.user({ usdCents: 0 });
    const before = await subscribe(user.api);
    const after = await subscribe(user.api);
    await notify(cut(user));
    await eventually(() => at(after)[0]);
    await settled();
    expect(at(before)).toEqual([]);
  });

  test('the next user at the same browser takes its address over', async () => {
    const first = await world.user({ usdCents: 0 });
    const browser = await subscribe(first.api);
    const second = await world.user({ usdCents: 0 });
    await second.api.turnPushOn({ body: browser });
    expect(await isOn(first.api)).toBe(false);
    await notify(cut(first));
    await settled();
    expect(at(browser)).toEqual([]);
  });

  test('users who want the same address at once: one has it, and nobody gets an error', async () => {
    const users = await Promise.all([1, 2, 3].map(() => world.user({ usdCents: 0 })));
    const browser = service.subscribe((await (users[0] as TestUser).api.getPush()).data.publicKey);
    await Promise.all(users.map(({ api }) => api.turnPushOn({ body: browser })));
    const states = await Promise.all(users.map(({ api }) => isOn(api)));
    expect(states.filter(Boolean)).toHaveLength(1);
  });

  test('a user has ten of them at most: the eleventh takes the place of the oldest', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    const sessions = await signInAgain(user, 11);
    for (const api of sessions) await subscribe(api);
    expect(await countSubscriptions(user)).toBe(10);
    expect(await isOn(sessions[0] as Api)).toBe(false);
    expect(await isOn(sessions[10] as Api)).toBe(true);
  });
});

describe('the push service', () => {
  test('says that the address is over: it is deleted', async () => {
    const user = await world.user({ usdCents: 0 });
    const gone = await subscribe(user.api);
    service.expire(gone.endpoint);
    await notify(cut(user));
    await eventually(async () => ((await isOn(user.api)) ? undefined : true));
    expect(service.answered).toContain(410);
  });

  test('is away: the news waits and comes once', async () => {
    const user = await world.user({ usdCents: 0 });
    const browser = await subscribe(user.api);
    service.answer = 503;
    await notify(cut(user));
    await eventually(() => service.answered[0]);
    service.answer = undefined;
    await eventually(() => at(browser)[0]);
    await settled();
    expect(at(browser)).toHaveLength(1);
  });

  const message = { text: '{}', topic: 'service', ttlSeconds: 60 };
  const senderWith = (masterKey: string) => {
    const key = openSenderKey(createVault(masterKey));
    const { clock, publicUrl } = world.deps;
    const services = /^http:\/\/127\.0\.0\.1:\d+\/push\//;
    return createWebPush({ key, clock, publicUrl: () => publicUrl, services, timeoutMs: 300 });
  };

  test('refuses a message that another key signed, or that is encrypted for another browser', async () => {
    const { publicKey } = senderWith(TEST_MASTER_KEY);
    const browser = service.subscribe(publicKey);
    expect(await senderWith('a stranger').send(browser, message)).toEqual({ kind: 'refused', reason: 'status 403' });
    const { p256dh, auth } = service.subscribe(publicKey);
    const wrong = { ...browser, p256dh, auth };
    expect(await senderWith(TEST_MASTER_KEY).send(wrong, message)).toEqual({ kind: 'refused', reason: 'status 400' });
    expect(await senderWith(TEST_MASTER_KEY).send(browser, message)).toEqual({ kind: 'sent' });
  });

  test('is silent, busy, or leads elsewhere: tried again, tried again, not followed', async () => {
    const sender = senderWith(TEST_MASTER_KEY);
    const browser = service.subscribe(sender.publicKey);
    service.answer = 429;
    expect(await sender.send(browser, message)).toEqual({ kind: 'busy', reason: 'status 429' });
    service.answer = 'silence';
    expect(await sender.send(browser, message)).toEqual({ kind: 'busy', reason: 'TimeoutError' });
    service.answer = 307;
    expect(await sender.send(browser, message)).toEqual({ kind: 'refused', reason: 'status 307' });
    expect(at(browser)).toEqual([]);
  });
});

test.each([
  ['an address that is no push service', { endpoint: 'https://evil.example/push/x' }],
  ['a key that is no point of the curve', { p256dh: 'B'.padEnd(87, 'A') }],
  ['a secret of another length', { auth: 'AAAA' }],
])('%s is refused', async (_what, wrong) => {
  const user = await world.user({ usdCents: 0 });
  const browser = service.subscribe((await user.api.getPush()).data.publicKey);
  await expect(user.api.turnPushOn({ body: { ...browser, ...wrong } })).rejects.toMatchObject({
    code: 'invalid_input',
  });
  expect(await isOn(user.api)).toBe(false);
});

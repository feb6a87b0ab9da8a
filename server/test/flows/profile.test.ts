import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { picture, upload } from '../pictures.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld, withPassword } from '../world.ts';

/** A user's profile over HTTP: name, email address, picture, settings, usage, export, closing the account. */
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const hostile = [
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['علي كاظمي', 'علی کاظمی'],
  ['\u202eevil\u202c name\u0000', 'evil name'],
  ['👩‍👩‍👧 سارا', '👩‍👩‍👧 سارا'],
  ["'; DROP TABLE users; --", "'; DROP TABLE users; --"],
];

describe('name and the rest', () => {
  test.each(hostile)('a name is stored as text, whatever it contains: %j', async (typed, kept) => {
    const user = await world.user({ usdCents: 0 });
    const answer = await user.api.updateProfile({ body: { name: typed } });
    expect(answer.data.profile.name).toBe(kept);
    expect((await user.api.getProfile()).data.profile).toMatchObject({ name: kept, email: user.email });
  });

  test('ten thousand characters are refused in their field, and nothing changes', async () => {
    const user = await world.user({ usdCents: 0 });
    for (const name of ['ن'.repeat(10_000), '', 'ن', '\u202e\u202c']) {
      await expect(user.api.updateProfile({ body: { name } })).rejects.toMatchObject({
        code: 'invalid_input',
        fields: { name: expect.any(String) },
      });
    }
    expect((await user.api.getProfile()).data.profile.name).toBe('نیلوفر آزمون');
  });

  test('both paths of the profile and of the password share one use case', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    const put = (path: string, body: object) =>
      fetch(`${world.origin}${API_BASE}${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await put('/auth/profile', { name: 'نام نو' })).status).toBe(200);
    const changed = {
      current_password: PASSWORD,
      password: 'Another-horse-8',
      password_confirmation: 'Another-horse-8',
    };
    expect((await put('/user/password', changed)).status).toBe(200);
    await world.client().login({ body: { email: user.email, password: 'Another-horse-8' } });
    expect((await user.api.getProfile()).data.profile).toMatchObject({ name: 'نام نو', hasPassword: true });
  });

  test('a user whose address is not proved may look and change the name', async () => {
    const body = {
      name: 'تازه وارد',
      email: 'unproved@mail.example',
      password: PASSWORD,
      password_confirmation: PASSWORD,
    };
    const { token } = await world.client().register({ body });
    const api = world.client(token ?? '');
    expect((await api.getProfile()).data.profile).toMatchObject({ isEmailVerified: false, connectionHours: 0 });
    expect((await api.updateProfile({ body: { name: 'نام دیگر' } })).user.name).toBe('نام دیگر');
    await expect(api.sendPhoneCode({ body: { phone: '09121230000' } })).rejects.toMatchObject({
      code: 'email_unverified',
    });
  });
});

describe('a new email address', () => {
  test('needs the owner, then its own code; the old address is notified and the other sessions end', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    const other = await world.client().login({ body: { email: user.email, password: PASSWORD } });
    const email = 'moved@mail.example';
    await expect(user.api.updateProfile({ body: { email } })).rejects.toMatchObject({ code: 'confirmation_needed' });
    await expect(user.api.updateProfile({ body: { email, password: 'Wrong-horse-7' } })).rejects.toMatchObject({
      code: 'password_wrong',
    });
    const requested = await user.api.updateProfile({ body: { name: 'هم‌زمان', email, password: PASSWORD } });
    expect(requested.data.profile).toMatchObject({ email: user.email, pendingEmail: email, name: 'هم‌زمان' });
    expect(requested.retry_after).toBe(60);
    const code = await codeFor(world, email);
    const wrong = code === '000000' ? '111111' : '000000';
    await expect(user.api.verifyNewEmail({ body: { code: wrong } })).rejects.toMatchObject({ code: 'code_invalid' });
    await user.api.forgotPassword({ body: { email: user.email } });
    await eventually(() => world.mails.find((mail) => mail.to === user.email && mail.text.includes('reset-password')));
    const moved = await user.api.verifyNewEmail({ body: { code } });
    expect(moved.data.profile).toMatchObject({ email, pendingEmail: null, isEmailVerified: true });
    await eventually(() =>
      world.mails.find((mail) => mail.to === user.email && mail.text.includes('mo…@mail.example')),
    );
    await expect(world.client(other.token ?? '').me()).rejects.toMatchObject({ code: 'unauthenticated' });
    // A link that was sent to the old address opens nothing any more.
    const link = world.mails.findLast((mail) => mail.to === user.email && mail.text.includes('reset-password'));
    const token = /token=([\w-]+)/.exec(link?.text ?? '')?.[1] ?? '';
    await expect(world.client().resetPassword({ body: { token, password: 'Stolen-horse-9' } })).rejects.toMatchObject({
      code: 'reset_token_invalid',
    });
    await world.client().login({ body: { email, password: PASSWORD } });
    await expect(user.api.verifyNewEmail({ body: { code } })).rejects.toMatchObject({ code: 'email_change_none' });
  });

  test('an account without a password confirms by a code to its present address', async () => {
    const user = await world.user({ usdCents: 0 });
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    await user.api.sendConfirmation();
    const code = await codeFor(world, user.email, 2);
    const email = 'coded@mail.example';
    await user.api.updateProfile({ body: { email, code } });
    await user.api.verifyNewEmail({ body: { code: await codeFor(world, email) } });
    expect((await user.api.me()).user.email).toBe(email);
  });

  test('its code is sent again after a minute, and the first one no longer works', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    await expect(user.api.resendNewEmailCode()).rejects.toMatchObject({ code: 'email_change_none' });
    const email = 'again@mail.example';
    await user.api.updateProfile({ body: { email, password: PASSWORD } });
    const first = await codeFor(world, email);
    await expect(user.api.resendNewEmailCode()).rejects.toMatchObject({ code: 'code_too_soon' });
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    expect((await user.api.resendNewEmailCode()).retry_after).toBe(60);
    const second = await codeFor(world, email, 2);
    if (first !== second) {
      await expect(user.api.verifyNewEmail({ body: { code: first } })).rejects.toMatchObject({
        code: 'code_invalid',
      });
    }
    expect((await user.api.verifyNewEmail({ body: { code: second } })).user.email).toBe(email);
    await expect(user.api.resendNewEmailCode()).rejects.toMatchObject({ code: 'email_change_none' });
  });

  test('a stranger does not learn that an address has an account, and cannot take it', async () => {
    const owner = await world.user({ usdCents: 0 });
    const user = await withPassword(await world.user({ usdCents: 0 }));
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    const requested = await user.api.updateProfile({ body: { email: owner.email, password: PASSWORD } });
    expect(requested.data.profile.pendingEmail).toBe(owner.email);
    const code = await codeFor(world, owner.email, 2);
    await expect(user.api.verifyNewEmail({ body: { code } })).rejects.toMatchObject({ code: 'email_taken' });
    await user.api.cancelNewEmail();
    expect((await user.api.getProfile()).data.profile).toMatchObject({ email: user.email, pendingEmail: null });
  });

  test('of two accounts that prove one new address at once, one gets it', async () => {
    const people = await Promise.all([world.user({ usdCents: 0 }), world.user({ usdCents: 0 })]);
    const email = 'contested@mail.example';
    const codes: string[] = [];
    for (const user of people) {
      await withPassword(user);
      await user.api.updateProfile({ body: { email, password: PASSWORD } });
      codes.push(await codeFor(world, email, codes.length + 1));
      await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
    }
    // Only the newest code of an address is valid; the first account to enter it gets the address.
    const tries = await Promise.allSettled(
      people.map((user) => user.api.verifyNewEmail({ body: { code: codes.at(-1) ?? '' } })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });

  test('five new addresses a day, and wrong passwords are limited', async () => {
    const user = await withPassword(await world.user({ usdCents: 0 }));
    for (let count = 0; count < 5; count += 1) {
      await user.api.updateProfile({ body: { email: `victim${count}@mail.example`, password: PASSWORD } });
    }
    await expect(
      user.api.updateProfile({ body: { email: 'victim6@mail.example', password: PASSWORD } }),
    ).rejects.toMatchObject({ code: 'too_many_requests' });
    const hasty = await withPassword(await world.user({ usdCents: 0 }));
    const requested = await Promise.allSettled(
      Array.from({ length: 12 }, (_, count) =>
        hasty.api.updateProfile({ body: { email: `stranger${count}@mail.example`, password: PASSWORD } }),
      ),
    );
    expect(requested.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const guess = () => user.api.deleteAccount({ body: { password: 'Wrong-horse-7' } });
    for (let count = 0; count < 10; count += 1) await expect(guess()).rejects.toMatchObject({ code: 'password_wrong' });
    await expect(guess()).rejects.toMatchObject({ code: 'login_throttled' });
  });
});

test('data that a stranger left on an address is removed when its owner proves it', async () => {
  const email = 'squatted@mail.example';
  const body = { name: 'غریبه', email, password: PASSWORD, password_confirmation: PASSWORD };
  const stranger = await world.client().register({ body });
  const api = world.client(stranger.token ?? '');
  await upload(
    world,
    { ...(await world.user({ usdCents: 0 })), token: stranger.token ?? '' },
    await picture(20).png().toBuffer(),
  );
  await api.updateSettings({ body: { emailNotifications: false } });
  await api.updateProfile({ body: { email: 'strangers-own@mail.example', password: PASSWORD } });
  await sql`UPDATE email_challenge SET created_at = created_at - interval '2 minutes'`.execute(world.deps.db);
  await world.client().sendVerificationCode({ body: { email } });
  const code = await codeFor(world, email, 2);
  const owner = world.client((await world.client().verifyCode({ body: { email, code } })).token);
  await owner.completeProfile({ body: { name: 'صاحب' } });
  expect((await owner.getProfile()).data.profile).toMatchObject({ pendingEmail: null, avatar: null, name: 'صاحب' });
  expect((await owner.getSettings()).data.settings.emailNotifications).toBe(true);
});

describe('settings', () => {
  test('omitted fields stay unchanged, even when two tabs write at once', async () => {
    const user = await world.user({ usdCents: 0 });
    const initial = {
      emailNotifications: true,
      smsNotifications: false,
      autoConnect: false,
      language: 'fa',
      theme: 'auto',
    };
    expect((await user.api.getSettings()).data.settings).toEqual(initial);
    await Promise.all([
      user.api.updateSettings({ body: { theme: 'dark' } }),
      user.api.updateSettings({ body: { smsNotifications: true } }),
      user.api.updateSettings({ body: { emailNotifications: false, language: 'en' } }),
    ]);
    expect((await user.api.getSettings()).data.settings).toEqual({
      emailNotifications: false,
      smsNotifications: true,
      autoConnect: false,
      language: 'en',
      theme: 'dark',
    });
    await expect(user.api.updateSettings({ body: { theme: 'pink' as 'dark' } })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

describe('usage', () => {
  test('correct figures: megabytes, hours with traffic, configs that a device has used', async () => {
    const user = await world.user();
    const make = async (name: string) =>
      (await user.api.createConfig({ body: { name, serverId: node.id } })).data.config.id;
    const [phone, laptop] = [await make('گوشی'), await make('لپ‌تاپ')];
    await make('هنوز نه');
    await node.settle();
    const tunnels = (config: string) => ({ tunnels: [{ config, handshakeAgeSeconds: 5, pingMs: 30 }] });
    await node.report([{ config: phone, down: 1_500_000 }], tunnels(phone));
    // The same hour on another device counts once.
    await node.report([{ config: laptop, down: 2_400_000 }], tunnels(laptop));
    const usage = async () => (await user.api.getUsage()).data.usage;
    expect(await usage()).toEqual({ totalTraffic: 3, monthlyTraffic: 3, connectionsCount: 2, connectionHours: 1 });
    // Three hours later, one with traffic and one without.
    const back = sql`UPDATE meter SET hour_start = hour_start - interval '3 hours' WHERE user_id = ${user.id}`;
    await back.execute(world.deps.db);
    await node.report([{ config: phone, down: 3_000_000 }], tunnels(phone));
    await back.execute(world.deps.db);
    await node.report([{ config: phone, down: 3_000_000 }], tunnels(phone));
    const later = { totalTraffic: 5, monthlyTraffic: 5, connectionsCount: 2, connectionHours: 2 };
    expect(await usage()).toEqual(later);
    // Resetting the dashboard's window changes nothing here.
    await user.api.resetDashboardTraffic();
    expect((await user.api.getProfile()).data.profile).toMatchObject(later);
  });
});

test('the OpenAPI document describes the form with the picture', async () => {
  const document = (await (await fetch(`${world.origin}${API_BASE}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content: object } }>>;
  };
  expect(document.paths['/user/avatar']?.post?.requestBody?.content).toHaveProperty('multipart/form-data');
});

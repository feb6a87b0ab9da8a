import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKavenegar } from '../../src/adapters/sms/kavenegar.ts';
import { openSms } from '../../src/app/sms.ts';
import { sendSms } from '../../src/modules/notifications/channels/sms.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openTestWorld, type TestUser, type TestWorld, textTo } from '../world.ts';

/** A number is proved by a code in a text message, over the provider's own protocol. */
let world: TestWorld;
let clock: ReturnType<typeof manualClock>;
let numbers = 0;

beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T08:00:00Z'));
  world = await openTestWorld({ clock });
});
afterAll(async () => {
  await world.close();
});

const newNumber = () => {
  numbers += 1;
  return `0912${String(numbers).padStart(7, '0')}`;
};
const codeIn = (text: string) => /\d{6}/.exec(text)?.[0] as string;
const send = (user: TestUser, phone: string) => user.api.sendPhoneCode({ body: { phone } });
/** Sessions are short and the clock moves: the user signs in again as often as needed. */
async function prove(user: TestUser, phone: string): Promise<void> {
  await send(user, phone);
  await user.api.verifyPhoneCode({ body: { phone, code: codeIn(await textTo(world, phone)) } });
}

describe('proving a number', () => {
  test.each([
    '0912 345 6701',
    '+98 912 345 6702',
    '0098-912-345-6703',
    '۰۹۱۲۳۴۵۶۷۰۴',
    '٠٩١٢٣٤٥٦٧٠٥',
    '989123456706',
    '9123456707',
  ])('accepted as users type it: %s', async (typed) => {
    const user = await world.user({ usdCents: 0 });
    const kept = `0912345670${typed.at(-1)?.replace('۴', '4').replace('٥', '5')}`;
    expect(await send(user, typed)).toMatchObject({ retry_after: 60, message: 'کد تایید ارسال شد' });
    const text = await textTo(world, kept);
    expect(text).toMatch(/^کد تأیید شما: \d{6}$/);
    const { user: changed } = await user.api.verifyPhoneCode({ body: { phone: typed, code: codeIn(text) } });
    expect(changed.phone).toBe(kept);
  });

  test.each([
    '',
    '0912',
    '02112345678',
    '+1 212 555 0100',
    '09123456789012',
    '<img onerror=alert(1)>',
    '۰۹۱۲abc',
    '9'.repeat(10_000),
  ])('refused in its field as no Iranian mobile number: %s', async (typed) => {
    const user = await world.user({ usdCents: 0 });
    await expect(send(user, typed)).rejects.toMatchObject({
      code: 'invalid_input',
      fields: { phone: expect.any(String) },
    });
  });

  test('wrong, then burnt after five; a new code works once; replaced and expired ones do not', async () => {
    const user = await world.user({ usdCents: 0 });
    const phone = newNumber();
    await send(user, phone);
    const first = codeIn(await textTo(world, phone));
    const verify = (code: string) => user.api.verifyPhoneCode({ body: { phone, code } });
    const wrong = first === '000000' ? '111111' : '000000';
    for (let tries = 1; tries <= 4; tries += 1) {
      await expect(verify(wrong)).rejects.toMatchObject({ code: 'phone_code_wrong', message: 'کد تایید نادرست است' });
    }
    await expect(verify(wrong)).rejects.toMatchObject({ code: 'code_burnt' });
    await expect(verify(first)).rejects.toMatchObject({ code: 'code_burnt' });
    await expect(send(user, phone)).rejects.toMatchObject({ code: 'code_too_soon', retryAfterSeconds: 60 });
    clock.advance(60_000);
    await send(user, phone);
    const second = codeIn(await textTo(world, phone, 2));
    clock.advance(600_000);
    await expect(verify(second)).rejects.toMatchObject({ code: 'phone_code_wrong' });
    await send(user, phone);
    const third = codeIn(await textTo(world, phone, 3));
    await verify(third);
    await expect(verify(third)).rejects.toMatchObject({ code: 'phone_code_wrong' });
    const others = await world.user({ usdCents: 0 });
    await expect(others.api.verifyPhoneCode({ body: { phone, code: third } })).rejects.toMatchObject({
      code: 'phone_code_wrong',
    });
  });

  test('the profile keeps a number only once it is proved, and can remove it', async () => {
    const user = await world.user({ usdCents: 0 });
    const phone = newNumber();
    const change = user.api.updateProfile({ body: { name: 'نام دیگر', phone } });
    await expect(change).rejects.toMatchObject({ fields: { phone: 'لطفا ابتدا شماره موبایل خود را تایید کنید' } });
    expect((await user.api.me()).user).toMatchObject({ name: 'نیلوفر آزمون', phone: null });
    await prove(user, phone);
    expect((await user.api.updateProfile({ body: { name: 'نام دیگر', phone } })).user).toMatchObject({
      name: 'نام دیگر',
      phone,
    });
    expect((await user.api.updateProfile({ body: { phone: '' } })).user.phone).toBeNull();
  });

  test('of two accounts that prove one number at once, one has it', async () => {
    const phone = newNumber();
    const people = [await world.user({ usdCents: 0 }), await world.user({ usdCents: 0 })];
    const codes: string[] = [];
    for (const user of people) {
      await send(user, phone);
      codes.push(codeIn(await textTo(world, phone, codes.length + 1)));
      clock.advance(61_000);
    }
    const tries = await Promise.allSettled(
      people.map((user, index) => user.api.verifyPhoneCode({ body: { phone, code: codes[index] as string } })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(tries.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'phone_taken' } });
  });
});

describe('limits on text messages', () => {
  test('three an hour and one a minute to one number, from any account', async () => {
    const phone = newNumber();
    for (let count = 0; count < 3; count += 1) {
      await send(await world.user({ usdCents: 0 }), phone);
      await expect(send(await world.user({ usdCents: 0 }), phone)).rejects.toMatchObject({ code: 'code_too_soon' });
      clock.advance(61_000);
    }
    const more = await send(await world.user({ usdCents: 0 }), phone).catch((error: unknown) => error);
    expect(more).toMatchObject({ code: 'code_too_soon' });
    expect((more as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(60);
  });

  test('of many simultaneous requests of one account, one sends', async () => {
    const user = await world.user({ usdCents: 0 });
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => send(user, newNumber())));
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });

  test('five an hour to any numbers of one account', async () => {
    const user = await world.user({ usdCents: 0 });
    for (let count = 0; count < 5; count += 1) {
      await send(user, newNumber());
      clock.advance(61_000);
    }
    await expect(send(user, newNumber())).rejects.toMatchObject({ code: 'code_too_soon' });
  });
});

describe('the provider', () => {
  const answering = async (answer: () => Response) => {
    const real = globalThis.fetch;
    const requests: string[] = [];
    globalThis.fetch = (async (input: string | URL | Request, init?: RequestInit) => {
      requests.push(`${String(input)} ${String(init?.body)}`);
      return answer();
    }) as typeof fetch;
    try {
      const port = createKavenegar({ apiKey: 'a key/with', apiUrl: () => 'https://sms.example', test: false });
      return { result: await port.send({ to: '09121234567', template: 'raha-code', token: '12 34' }), requests };
    } finally {
      globalThis.fetch = real;
    }
  };
  const entry = { messageid: 8_792_343, status: 5, receptor: '09121234567', cost: 120 };

  test.each([
    [{ return: { status: 200, message: 'تایید شد' }, entries: [entry] }, 200, 'sent'],
    [{ return: { status: 200, message: 'تایید شد' }, entries: entry }, 200, 'sent'],
    [{ return: { status: 418, message: 'اعتبار کافی نیست' }, entries: null }, 200, 'refused'],
    [{ return: { status: 424, message: 'الگو' } }, 424, 'refused'],
    [{ return: { status: 409, message: 'سرور' } }, 409, 'busy'],
    [{ entries: [] }, 200, 'unknown'],
    ['<html>502</html>', 200, 'unknown'],
    ['', 503, 'unknown'],
  ] as const)('%o with HTTP %d is: %s', async (body, status, kind) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { result, requests } = await answering(() => new Response(text, { status }));
    expect(result.kind).toBe(kind);
    expect(requests).toEqual([
      'https://sms.example/v1/a%20key%2Fwith/verify/lookup.json receptor=09121234567&template=raha-code&token=12-34',
    ]);
  });

  test('only what was surely not sent is retried, and an expired code is dropped', async () => {
    const sent: string[] = [];
    const deps = (kind: 'busy' | 'unknown' | 'refused') => ({
      ...world.deps,
      sms: {
        test: true,
        send: async ({ token }: { token: string }) => {
          sent.push(token);
          return { kind, reason: 'refused' };
        },
      },
    });
    const message = { to: '09121234567', purpose: 'code', token: '123456', about: { kind: 'phone_code' } } as const;
    const attempt = () => ({ jobId: randomUUID(), number: 1, isLast: false });
    await expect(sendSms(deps('busy'), message, attempt())).rejects.toThrow('refused');
    await sendSms(deps('unknown'), message, attempt());
    await sendSms(deps('refused'), message, attempt());
    expect(sent).toHaveLength(3);
    await sendSms(deps('busy'), { ...message, until: clock.now().toISOString() }, attempt());
    expect(sent).toHaveLength(3);
  });

  test('the simulator refuses what the provider would, with the same status codes', async () => {
    const post = async (path: string, form: Record<string, string>) => {
      const response = await fetch(`${world.origin}/test-sms${path}`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      return ((await response.json()) as { return: { status: number } }).return.status;
    };
    const good = { receptor: '09121234567', template: 'raha-code', token: '123456' };
    const path = '/v1/test-sms/verify/lookup.json';
    expect(await post('/v1/wrong/verify/lookup.json', good)).toBe(403);
    expect(await post(path, { ...good, token: '' })).toBe(406);
    expect(await post(path, { ...good, receptor: '021' })).toBe(411);
    expect(await post(path, { ...good, token: '1 2' })).toBe(431);
    expect(await post(path, { ...good, template: 'none' })).toBe(424);
    expect(await post(path, good)).toBe(200);
  });

  test('shown in the outbox of a new installation; never in production, where nothing is offered without a key', async () => {
    const phone = newNumber();
    await send(await world.user({ usdCents: 0 }), phone);
    await textTo(world, phone);
    const outbox = await (await fetch(`${world.origin}/dev/outbox`, { headers: { accept: 'text/html' } })).text();
    expect(outbox).toContain(phone);
    const production = readConfig({ NODE_ENV: 'production' });
    expect(production.outboxShown).toBe(false);
    expect(openSms(production, { origin: '' })).toBeUndefined();
    const keyed = readConfig({ NODE_ENV: 'production', KAVENEGAR_API_KEY: 'k' });
    expect(openSms(keyed, { origin: '' })?.test).toBe(false);
    const off = await openTestWorld({ overrides: { sms: undefined } });
    try {
      const user = await off.user({ usdCents: 0 });
      await expect(send(user, phone)).rejects.toMatchObject({ code: 'sms_off' });
      expect((await user.api.getProfile()).data.profile.phoneVerification).toBe(false);
    } finally {
      await off.close();
    }
  });
});

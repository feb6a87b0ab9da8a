import type { ApiError } from '@raha/contract/client.ts';
import { errors } from '@raha/contract/errors.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { codeFor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Whatever is sent, the answer is a Persian sentence with the right status, and nothing has changed. */
let world: TestWorld;
let node: FakeNode;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
  user = await world.user();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const PERSIAN = /[\u0600-\u06ff]{2}/;

async function refused(call: Promise<unknown>, code: string): Promise<ApiError> {
  const error = (await call.then(
    () => expect.unreachable(`should be refused with ${code}`),
    (reason: unknown) => reason,
  )) as ApiError;
  expect(error.code).toBe(code);
  expect(error.status).toBe(errors[code as keyof typeof errors].status);
  expect(error.message).toMatch(PERSIAN);
  expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  return error;
}

async function send(method: string, path: string, body: string | undefined, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.origin}${API_BASE}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${user.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('codes', () => {
  test('wrong, then burnt after five attempts; a new one works', async () => {
    const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
    const own = await openTestWorld({ clock });
    try {
      const api = own.client();
      const email = 'codes@mail.example';
      await api.sendVerificationCode({ body: { email } });
      const code = await codeFor(own, email);
      const wrong = code === '000000' ? '000001' : '000000';
      for (let round = 1; round <= 4; round += 1)
        await refused(api.verifyCode({ body: { email, code: wrong } }), 'code_invalid');
      await refused(api.verifyCode({ body: { email, code: wrong } }), 'code_burnt');
      await refused(api.verifyCode({ body: { email, code } }), 'code_burnt');
      const soon = await refused(api.sendVerificationCode({ body: { email } }), 'code_too_soon');
      expect(soon.retryAfterSeconds).toBe(60);
      clock.advance(60_000);
      await api.sendVerificationCode({ body: { email } });
      const fresh = await codeFor(own, email, 2);
      expect((await api.verifyCode({ body: { email, code: fresh } })).userExists).toBe(false);
      // Once used, it is an unknown code.
      await refused(api.verifyCode({ body: { email, code: fresh } }), 'code_invalid');
    } finally {
      await own.close();
    }
  });

  test('expired after ten minutes, and replaced by a newer one', async () => {
    const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
    const own = await openTestWorld({ clock });
    try {
      const api = own.client();
      const email = 'late@mail.example';
      await api.sendVerificationCode({ body: { email } });
      const first = await codeFor(own, email);
      clock.advance(61_000);
      await api.sendVerificationCode({ body: { email } });
      const second = await codeFor(own, email, 2);
      if (first !== second) await refused(api.verifyCode({ body: { email, code: first } }), 'code_invalid');
      clock.advance(600_000);
      await refused(api.verifyCode({ body: { email, code: second } }), 'code_invalid');
    } finally {
      await own.close();
    }
  });

  test('five an hour and ten a day per address', async () => {
    const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
    const own = await openTestWorld({ clock });
    try {
      const send = () => own.client().sendVerificationCode({ body: { email: 'many@mail.example' } });
      for (let sent = 1; sent <= 5; sent += 1) {
        await send();
        clock.advance(60_000);
      }
      await refused(send(), 'code_too_soon');
      clock.advance(3_600_000);
      for (let sent = 6; sent <= 10; sent += 1) {
        await send();
        clock.advance(61_000);
      }
      clock.advance(3_600_000);
      await refused(send(), 'code_too_soon');
      clock.advance(86_400_000);
      await send();
    } finally {
      await own.close();
    }
  });

  test('known and unknown addresses get the same answer', async () => {
    const known = await world.client().sendVerificationCode({ body: { email: 'unknown-1@mail.example' } });
    await world.user({ email: 'known-1@mail.example', usdCents: 0 });
    const later = await openTestWorld();
    try {
      const answer = await later.client().sendVerificationCode({ body: { email: 'known-1@mail.example' } });
      expect(answer).toEqual(known);
    } finally {
      await later.close();
    }
  });

  test('invalid addresses are refused in the field with its sentence', async () => {
    for (const email of [
      '',
      'x',
      'a@b',
      'a@@b.ir',
      'a b@c.ir,d@e.ir',
      `${'a'.repeat(300)}@b.ir`,
      'a@b.ir\u0000',
      'a\u0007@b.ir',
      'a@b.ir\r\nBcc: c@d.ir',
    ]) {
      const { status, body } = await send('POST', '/auth/send-verification-code', JSON.stringify({ email }));
      if (status === 200) expect(email).toContain('\r\n');
      else
        expect({ status, code: body.code, field: Object.keys(body.errors as object)[0] }).toEqual({
          status: 422,
          code: 'invalid_input',
          field: 'email',
        });
    }
    expect(world.mails.every((mail) => /^[^\s,]+@[^\s,]+$/.test(mail.to))).toBe(true);
  });
});

describe('gift cards', () => {
  test('unknown, mistyped, used and foreign codes get one answer; nothing changes; a good one works afterwards', async () => {
    const own = await world.user({ usdCents: 0 });
    const card = await world.giftCard();
    const used = await world.giftCard();
    await world.user().then((other) => other.api.processGiftCard({ body: { gift_card_code: used } }));
    const mistyped = card.replace(/^./, (symbol) => (symbol === '2' ? '3' : '2'));
    const messages = new Set<string>();
    for (const code of ['ABCD-EFGH-JKMN-PQRS', mistyped, used]) {
      messages.add(
        (await refused(own.api.activateAccount({ body: { giftCardCode: code } }), 'gift_card_invalid')).message,
      );
    }
    expect(messages.size).toBe(1);
    expect((await own.api.me()).user).toMatchObject({ isActivated: false, balance: 0 });
    expect((await own.api.activateAccount({ body: { giftCardCode: card.toLowerCase() } })).data).toMatchObject({
      activated: true,
      amount: 400_000,
    });
    expect((await own.api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } })).data).toMatchObject(
      { activated: false, amount: 80_000 },
    );
  });

  test('ten wrong codes an hour, then the account waits', async () => {
    const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
    const own = await openTestWorld({ clock });
    try {
      const { api } = await own.user({ usdCents: 0 });
      const card = await own.giftCard();
      for (let tries = 0; tries < 10; tries += 1)
        await refused(api.verifyGiftCard({ body: { gift_card_code: 'ABCD-EFGH-JKMN-PQRS' } }), 'gift_card_invalid');
      const blocked = await refused(api.activateAccount({ body: { giftCardCode: card } }), 'gift_card_throttled');
      expect(blocked.retryAfterSeconds).toBe(3600);
      clock.advance(3_600_000);
    } finally {
      await own.close();
    }
  });

  test('a rate that the user did not see, and no rate at all', async () => {
    const own = await world.user({ usdCents: 0 });
    const card = await world.giftCard();
    await refused(own.api.processGiftCard({ body: { gift_card_code: card, current_price: 70_000 } }), 'rate_changed');
    expect(
      (await own.api.processGiftCard({ body: { gift_card_code: card, current_price: 79_000 } })).data.activated,
    ).toBe(true);
    const none = await openTestWorld({ overrides: { exchangeRate: { current: async () => undefined } } });
    try {
      const other = await none.user({ usdCents: 0 });
      await refused(other.api.activateAccount({ body: { giftCardCode: await none.giftCard() } }), 'rate_unavailable');
      expect(await none.client().getUsdRate()).toMatchObject({
        rate: null,
        fallback: { activation: 540_000, other: 82_250 },
      });
    } finally {
      await none.close();
    }
  });

  test.each([
    ['', 'gift_required'],
    ['AB12', 'gift_length'],
    ['A'.repeat(25), 'gift_length'],
    ['ABCDEFGH', 'gift_hyphen'],
    ['TEST-1234', 'gift_fake'],
    ['-ABCD-1234', 'gift_format'],
  ])('input rules of the form hold on the server too: %j', async (code) => {
    const { status, body } = await send('POST', '/giftcards/process', JSON.stringify({ gift_card_code: code }));
    expect(status).toBe(422);
    expect(Object.values(body.errors as object)[0]).toMatch(PERSIAN);
  });
});

describe('money', () => {
  test.each([9_999, 0, -50_000, 10_000.5, 1e12, '۹٬۹۹۹', 'ده هزار', null])(
    'a charge of %j is refused in its field',
    async (amount) => {
      const { status, body } = await send(
        'POST',
        '/user/wallet/charge',
        JSON.stringify({ amount, payment_method: 'zarinpal' }),
      );
      expect(status).toBe(422);
      expect(body.errors).toHaveProperty('amount');
    },
  );

  test('a gateway that is off, an account that is not activated', async () => {
    await setSettingByKey(world.deps.db, 'gateways.idpay', 'off', world.deps.clock.now());
    await refused(user.api.chargeWallet({ body: { amount: 50_000, payment_method: 'idpay' } }), 'gateway_off');
    const fresh = await world.user({ usdCents: 0 });
    await refused(
      fresh.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } }),
      'activation_required',
    );
  });
});

describe('configs', () => {
  test('not activated, offline, full, unknown server, taken name, empty name, too many', async () => {
    const fresh = await world.user({ usdCents: 0 });
    await refused(fresh.api.createConfig({ body: { name: 'یک', serverId: node.id } }), 'activation_required');
    await refused(
      user.api.createConfig({ body: { name: 'یک', serverId: '01a1fac7-abe1-7bc1-8014-fb8f051c013a' } }),
      'not_found',
    );
    const small = await enrolFakeNode(world, { addressLimit: 1 });
    await user.api.createConfig({ body: { name: 'تنها', serverId: small.id } });
    await refused(user.api.createConfig({ body: { name: 'دومی', serverId: small.id } }), 'server_full');
    await refused(user.api.createConfig({ body: { name: ' تنها ', serverId: node.id } }), 'config_name_taken');
    await refused(user.api.createConfig({ body: { name: '  ', serverId: node.id } }), 'invalid_input');
    await refused(
      user.api.createConfig({ body: { name: 'x', serverId: node.id, protocol: 'ikev2' } }),
      'protocol_unavailable',
    );
    await small.goOffline();
    await refused(user.api.createConfig({ body: { name: 'سومی', serverId: small.id } }), 'server_offline');
  });
});

describe('any request', () => {
  test('oversized, malformed, of another type, with unknown and poisonous fields', async () => {
    expect((await send('POST', '/user/configs', `{"name":"${'x'.repeat(70_000)}"}`)).status).toBe(413);
    expect((await send('POST', '/user/configs', '{"name":')).status).toBe(400);
    expect((await send('POST', '/user/configs', '<a/>', { 'content-type': 'text/xml' })).status).toBe(415);
    expect((await send('POST', '/user/configs', '{"__proto__":{"admin":true}}')).status).toBe(400);
    const unknown = await send('POST', '/auth/complete-profile', '{"name":"نام","role":"admin"}');
    expect(unknown).toMatchObject({ status: 422, body: { errors: { role: expect.stringMatching(PERSIAN) } } });
    expect((await send('GET', '/no/such/call', undefined)).status).toBe(404);
    for (const { body } of [unknown]) expect(body.message).toMatch(PERSIAN);
  });

  test('English is answered in English', async () => {
    const { body } = await send('GET', '/user/configs/01a1fac7-abe1-7bc1-8014-fb8f051c013a', undefined, {
      'accept-language': 'en-GB',
    });
    expect(body.message).toBe('What you asked for was not found.');
  });

  test('a request from another site is refused', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      expect(await send('POST', '/auth/refresh', '{}', headers as never)).toMatchObject({
        status: 403,
        body: { code: 'cross_site' },
      });
    }
  });

  test('without a session, with a forged or foreign token: 401 on every call that needs one', async () => {
    const forged = `${user.token.slice(0, -4)}AAAA`;
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of ['', forged, `${none}.${user.token.split('.')[1]}.`]) {
      for (const endpoint of Object.values(publicEndpoints).filter((candidate) => candidate.caller === 'user')) {
        const path = endpoint.path.replace('{id}', user.id);
        const { status, body } = await send(endpoint.method, path, endpoint.method === 'GET' ? undefined : '{}', {
          authorization: `Bearer ${token}`,
        });
        expect({ path, status, code: body.code }).toEqual({ path, status: 401, code: 'unauthenticated' });
      }
    }
  });

  test("every {id} endpoint answers 404 for someone else's, and nothing changes", async () => {
    const owner = await world.user();
    const { data } = await owner.api.createConfig({ body: { name: 'مال من', serverId: node.id } });
    const charge = await owner.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } });
    const ids = [data.config.id, charge.transaction_id, 'not-an-id', '01a1fac7-abe1-7bc1-8014-fb8f051c013a'];
    const bodies: Record<string, unknown> = {
      renameConfig: { name: 'دزدیده' },
      resetConfig: {},
      renamePasskey: { name: 'دزدیده' },
      setPasskeySecondStep: { enabled: true },
      shareConfig: { guest_name: 'مادر', monthly_gb: 10 },
      changeFamilyCap: { monthly_gb: 10 },
      removePasskey: {},
    };
    for (const [name, endpoint] of Object.entries(publicEndpoints)) {
      if (!endpoint.path.includes('{id}') || endpoint.caller !== 'user') continue;
      for (const id of ids) {
        const body = JSON.stringify(bodies[name]);
        const answer = await send(endpoint.method, endpoint.path.replace('{id}', id), body);
        expect({ name, id, status: answer.status }).toEqual({ name, id, status: 404 });
      }
    }
    await refused(user.api.connect({ body: { configId: data.config.id } }), 'config_not_found');
    await refused(user.api.disconnect({ body: { configId: data.config.id } }), 'not_found');
    await refused(user.api.verifyCharge({ body: { transaction_id: charge.transaction_id } }), 'not_found');
    expect((await owner.api.getConfig({ params: { id: data.config.id } })).data.config).toMatchObject({
      name: 'مال من',
      service: 'ok',
    });
  });
});

test('the database itself refuses to change the ledger', async () => {
  for (const statement of [
    'UPDATE ledger_entry SET amount = amount + 1',
    'DELETE FROM ledger_transfer',
    'TRUNCATE ledger_entry',
    'DELETE FROM ledger_account',
  ]) {
    await expect(sql.raw(statement).execute(world.deps.db)).rejects.toThrow(/append-only/);
  }
  const unbalanced = `
    WITH t AS (INSERT INTO ledger_transfer VALUES (gen_random_uuid(), 'adjustment', 'test', 'x', 'y', now()) RETURNING id)
    INSERT INTO ledger_entry SELECT id, '00000000-0000-7000-8000-000000000006', 5, NULL, NULL FROM t`;
  await expect(sql.raw(unbalanced).execute(world.deps.db)).rejects.toThrow(/does not balance/);
  await expect(
    sql
      .raw("INSERT INTO ledger_transfer VALUES (gen_random_uuid(), 'adjustment', 'test', 'lonely', 'y', now())")
      .execute(world.deps.db),
  ).rejects.toThrow(/0 entries/);
});

import { staffLimits } from '@raha/contract/admin/limits.ts';
import { sentenceOfAllowed } from '@raha/contract/admin/setting-values.ts';
import { type SettingChange, type SettingLine, settingAreas } from '@raha/contract/admin/settings.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettingByKey, settingKeys } from '../../src/app/all-settings.ts';
import { changeSetting, resetSetting } from '../../src/app/change-setting.ts';
import { settingTexts } from '../../src/app/setting-texts.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { configsPerUser } from '../../src/modules/configs/settings.ts';
import { switchGateway } from '../../src/modules/payments/switch-gateway.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** Settings in the console: each is there, and a change is the one of the command line. */
const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
let world: TestWorld;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepSettings: true });
  boss = await openColleague(world, 'super_admin');
});
afterAll(() => world?.close());

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly data?: unknown;
}

/** A call with a factor shown just now, or then. */
async function call(path: string, body?: object, { member = boss, language = 'en', provedAt = clock.now() } = {}) {
  const headers = {
    ...{ cookie: await openStaffSession(world, member.userId, provedAt), 'accept-language': language },
    ...{ 'x-raha-console': '1', 'content-type': 'application/json' },
  };
  const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${world.origin}/api/v1/admin/settings${path}`, request);
  return { status: response.status, ...((await response.json()) as object) } as Answer;
}

const list = async () => ((await call('')).data as { settings: SettingLine[] }).settings;
const page = async (key: string, before = '') =>
  (await call(`/${key}${before}`)).data as { setting: SettingLine; changes: SettingChange[]; more: boolean };
const current = async (key: string) => await readSettingByKey(world.deps.db, key, clock.now());
const entries = async () => (await listEntries(world.deps.db, { target: { kind: 'setting' } }, 1_000)).length;
const reason = 'as we agreed';
const { initial } = configsPerUser;

test('every setting is listed with what it does in both languages, and none that holds a secret', async () => {
  const lines = await list();
  expect(lines.map(({ key }) => key).sort()).toEqual(settingKeys.filter((key) => key !== 'price.usdCentsPerGb').sort());
  // A text without its setting is of one that is gone.
  expect(Object.keys(settingTexts).sort()).toEqual(lines.map(({ key }) => key).sort());
  expect(new Set(lines.map(({ area }) => area))).toEqual(new Set(settingAreas));
  for (const { key, about, allowed, initial, value, differs } of lines) {
    expect([key, about.fa.length > 10, about.en.length > 10]).toEqual([key, true, true]);
    expect([key, sentenceOfAllowed(allowed, 'fa').length > 3]).toEqual([key, true]);
    expect([key, differs]).toEqual([key, JSON.stringify(value) !== JSON.stringify(initial)]);
  }
  // What the program keeps for itself, keys among it, stands in the same table.
  const own = ['internal.sealingKey', 'internal.derivationRoot', 'payments.hold'];
  for (const key of own) expect([key, (await call(`/${key}`)).status]).toEqual([key, 404]);
  expect((await call('/price.usdCentsPerGb', { value: 9, expected: 3, reason })).status).toBe(404);
});

test('each says which values it takes, in both languages', async () => {
  const kinds = (await list()).map(({ key, allowed }) => [key, sentenceOfAllowed(allowed, 'en')]);
  expect(Object.fromEntries(kinds)).toMatchObject({
    'trial.gb': 'A number from 0 to 100,000.',
    'configs.perUser': 'A whole number from 1 to 1,000.',
    'trial.requiresActivation': 'On or off.',
    'gateways.zarinpal': 'One of: auto, on, off.',
    'claims.rating': 'A number from 1 to 5, or auto.',
    'claims.servers': 'A whole number from 0 to 1,000,000,000, or auto.',
  });
});

test('a change is one entry of the audit, and holds in every reading', async () => {
  const before = await entries();
  const changed = await call('/configs.perUser', { value: 12, expected: initial, reason });
  expect(changed).toMatchObject({ status: 200, data: { value: 12 } });
  expect(await current('configs.perUser')).toBe(12);
  expect(await entries()).toBe(before + 1);
  const [entry] = await listEntries(world.deps.db, { target: { kind: 'setting' } }, 1);
  expect(entry).toMatchObject({
    ...{ action: 'settings.set', target_id: 'configs.perUser', actor_kind: 'staff', actor: boss.userId, reason },
    changed: { value: [String(initial), '12'] },
  });
  const line = (await list()).find(({ key }) => key === 'configs.perUser');
  expect(line).toMatchObject({ value: 12, initial, differs: true, changed: { by: boss.email, is_machine: false } });
});

test.each([
  ['configs.perUser', 0, 'یک عدد صحیح از ۱ تا ۱٬۰۰۰.', 'A whole number from 1 to 1,000.'],
  ['configs.perUser', '12', 'یک عدد صحیح از ۱ تا ۱٬۰۰۰.', 'A whole number from 1 to 1,000.'],
  ['reach.networks', [{ id: 1, fa: 'a\u0000b', en: 'x' }], 'حداکثر ۶۴ شیء', 'up to 64 objects'],
  ['trial.requiresActivation', 'yes', 'روشن یا خاموش.', 'On or off.'],
  ['gateways.nextpay', 'maybe', 'یکی از این‌ها', 'One of: auto, on, off.'],
  ['brand.name', 'a\u0000b', 'از یک تا ۴۰ حرف', '1 to 40 characters'],
  ['invoices.seller', { nationalId: '1' }, 'شیء با name', 'An object with name'],
  ['cutOff.reachable', ['Bank.example'], 'فهرست حداکثر ۴۰', 'A list of up to 40'],
] as const)('%s does not take %j, and says what it takes', async (key, value, persian, english) => {
  const [was, count] = [await current(key), await entries()];
  for (const [language, sentence] of [
    ['fa', persian],
    ['en', english],
  ] as const) {
    const refused = await call(`/${key}`, { value, expected: was, reason }, { language });
    expect(refused).toMatchObject({ status: 422, code: 'setting_value' });
    expect(refused.message).toContain(sentence);
  }
  expect([await current(key), await entries()]).toEqual([was, count]);
});

test('of two members who saw the same value one changes it; the other decides anew', async () => {
  const count = await entries();
  const other = await openColleague(world, 'super_admin');
  const both = await Promise.all(
    [boss, other].map((member, n) =>
      call('/wallet.transferProofFrom', { value: 300_000 + n, expected: 200_000, reason }, { member }),
    ),
  );
  expect(both.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'setting_changed']);
  expect(await entries()).toBe(count + 1);
  const { setting } = await page('wallet.transferProofFrom');
  expect(both.find(({ status }) => status === 200)?.data).toEqual({ value: setting.value });
  // Values of many parts are compared part by part.
  const networks = await page('reach.networks');
  const fewer = (networks.setting.value as { id: number }[]).slice(1).map(({ id, ...names }) => ({ ...names, id }));
  const order = { value: fewer, expected: networks.setting.value, reason };
  expect((await call('/reach.networks', order)).status).toBe(200);
  expect(await call('/reach.networks', order)).toMatchObject({ status: 409, code: 'setting_changed' });
});

test('only a super admin changes one, with a factor of the last minutes and a reason', async () => {
  const count = await entries();
  const order = { value: 20, expected: await current('configs.perUser'), reason };
  for (const role of ['admin', 'finance', 'auditor'] as const) {
    const member = await openColleague(world, role);
    expect((await call('', undefined, { member })).status).toBe(200);
    expect((await call('/configs.perUser', order, { member })).status).toBe(403);
    expect((await call('/configs.perUser/reset', { expected: order.expected, reason }, { member })).status).toBe(403);
  }
  const support = await openColleague(world, 'support');
  expect((await call('', undefined, { member: support })).status).toBe(403);
  const provedAt = new Date(clock.now().getTime() - (staffLimits.moneyProofMinutes + 1) * 60_000);
  expect(await call('/configs.perUser', order, { provedAt })).toMatchObject({ status: 401, code: 'proof_needed' });
  expect((await call('/configs.perUser', { ...order, reason: ' ' })).status).toBe(422);
  expect(await entries()).toBe(count);
});

test('the initial value comes back as if nobody had changed it', async () => {
  const reset = (expected: unknown) => call('/configs.perUser/reset', { expected, reason });
  expect(await reset(11)).toMatchObject({ status: 409, code: 'setting_changed' });
  expect((await reset(12)).status).toBe(200);
  expect(await current('configs.perUser')).toBe(initial);
  const { rows } = await sql`SELECT FROM setting WHERE key = 'configs.perUser'`.execute(world.deps.db);
  expect(rows).toEqual([]);
  const { setting, changes } = await page('configs.perUser');
  expect(setting).toMatchObject({ value: initial, differs: false });
  expect(changes[0]).toMatchObject({ before: '12', after: String(initial), is_reset: true, reason, by: boss.email });
});

test('the history has what the command line and the gateways’ commands did, page by page', async () => {
  await changeSetting(world.deps, { actor, key: 'gateways.zarinpal', text: 'on' });
  await switchGateway(world.deps, { actor, name: 'zarinpal', value: 'off' });
  await resetSetting(world.deps, { actor, key: 'gateways.zarinpal' });
  const { changes, more } = await page('gateways.zarinpal');
  expect(more).toBe(false);
  expect(changes).toMatchObject([
    { before: '"off"', after: '"auto"', is_reset: true },
    { before: 'on', after: 'off', is_reset: false },
    { before: '"auto"', after: '"on"', is_machine: true, by: 'tests', reason: null },
  ]);
  const wrong = changeSetting(world.deps, { actor, key: 'trial.gb', text: 'much' });
  await expect(wrong).rejects.toThrow('"much" does not fit the setting trial.gb. A number from 0 to 100,000.');
  for (let n = 0; n < staffLimits.settings.page; n += 1)
    await changeSetting(world.deps, { actor, key: 'trial.gb', text: String(20 + n) });
  await changeSetting(world.deps, { actor, key: 'trial.gb', text: '5' });
  const first = await page('trial.gb');
  expect([first.changes.length, first.more, first.changes[0]?.after]).toEqual([staffLimits.settings.page, true, '5']);
  const second = await page('trial.gb', `?before=${first.changes.at(-1)?.number}`);
  expect([second.changes.length, second.more, second.changes[0]?.after]).toEqual([1, false, '20']);
});

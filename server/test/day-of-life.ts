import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { proveNew } from '../src/app/prove-ledger.ts';
import { testStoreKeys } from '../src/app/stores.ts';
import { bookPastHours } from '../src/modules/billing/book-usage.ts';
import { reclaimIdleLeases } from '../src/modules/billing/restore-service.ts';
import { closeMonth } from '../src/modules/books/close-month.ts';
import { addNode } from '../src/modules/fleet/add-node.ts';
import { exportBatch } from '../src/modules/gift-cards/export-batch.ts';
import { issueBatch } from '../src/modules/gift-cards/issue-batch.ts';
import { sellBatch, settleSale } from '../src/modules/gift-cards/sell-batch.ts';
import { monthOf } from '../src/modules/ledger/jalali-month.ts';
import { sendRefund } from '../src/modules/payments/send-refund.ts';
import { addCounts, closeHours } from '../src/modules/reach/tables.ts';
import type { SocialPort } from '../src/modules/sessions/social.ts';
import { importSettlementFile } from '../src/modules/settlements/import-file.ts';
import { earnDays } from '../src/modules/subscriptions/earn-days.ts';
import { sumPlans } from '../src/modules/subscriptions/sum-plans.ts';
import { adjustBalance } from '../src/modules/wallet/correct-books.ts';
import { addDays, addSeconds, manualClock } from '../src/platform/clock.ts';
import { createLog } from '../src/platform/log.ts';
import { payAndVerify, payAtBank } from './bank.ts';
import { BrowserClient } from './browser-client.ts';
import { enrolFakeNode, enrolWith, type FakeNode } from './fake-node.ts';
import { addPasskey, complete, givePassword, markSecondStep } from './passkeys.ts';
import { picture, upload } from './pictures.ts';
import { pretendToBeStore } from './pretend-store.ts';
import { tellBrowser } from './push-service.ts';
import { noteSent, sent } from './sent-fields.ts';
import { workOneDay } from './staff-day.ts';
import {
  actor,
  codeFor,
  eventually,
  openTestWorld,
  PASSWORD,
  TEST_MASTER_KEY,
  type TestUser,
  type TestWorld,
  textTo,
  unlimited,
  withPassword,
} from './world.ts';

/**
 * A day of the service: users sign in in every way, pay, redeem, connect, lose interest and leave; nodes enrol; jobs fail.
 * What an answer, a mail, a text message or a file gives out is collected as it is given out.
 */
/** By their values, what they are. */
const canaries = new Map<string, string>();
const lines: string[] = [];
const BOUNCES = 'bounces@mail.example';
const LEAVER = 'leaver-w7q2@mail.example';
const LEAVER_LATER = 'leaver-k9x4@mail.example';
const LEAVER_PHONE = '09120000711';
const SOCIAL_CODE = 'social-code-5b1f9a70';

const google: SocialPort = {
  name: 'google',
  test: false,
  title: 'Google',
  start: async ({ state, nonce, codeVerifier }) => {
    issue('secret of a social sign-in', codeVerifier);
    return new URL(`https://accounts.google.example/?state=${state}&nonce=${nonce}`);
  },
  finish: async () => ({
    subject: 'google-subject-1',
    email: 'social@mail.example',
    emailVerified: true,
    authoritative: true,
    name: 'نیلوفر آزمون',
  }),
};

/** By name, the longest life of a cookie that was set. */
const cookieSeconds = new Map<string, number>();
let world: TestWorld;
const { fetch } = globalThis;

function issue(what: string, value: string | undefined): void {
  if (value !== undefined && value.length >= 6) canaries.set(value, what);
}

/** Fields of answers that open something. */
const GIVEN = /token$|secret$|^uri$|^recovery_codes$|gift_code$|giftCardCode$|^redirect_url$|^verificationCode$/i;

function collect(value: unknown, name = ''): void {
  if (typeof value === 'string' && GIVEN.test(name)) issue(`${name} of an answer`, value);
  else if (Array.isArray(value)) for (const each of value) collect(each, name);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) collect(each, key);
}

/** Collects from every answer that this test receives, whatever client it uses. */
async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  noteSent(String(request[0]), request[1]?.body, request[1]?.headers);
  const response = await fetch(...request);
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookieSeconds.set(name, Math.max(cookieSeconds.get(name) ?? 0, Number(/max-age=(\d+)/i.exec(line)?.[1] ?? 0)));
    // Who the user is, for the panel: no secret.
    if (name !== 'user_data') issue(`cookie ${name}`, decodeURIComponent(value));
  }
  const sent = String((request[1]?.headers as Record<string, string> | undefined)?.authorization ?? '').split(' ')[1];
  issue('token of a request', sent);
  if (response.headers.get('content-type')?.startsWith('application/json')) collect(await response.clone().json());
  return response;
}

/** The world after the day, with everything that was given out, sent to others, or logged. */
export async function liveThroughDay() {
  globalThis.fetch = watchedFetch;
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const mailer = {
    send: async (mail: TestWorld['mails'][number] & { isWanted?: boolean }) => {
      if (mail.to === BOUNCES) throw new Error(`550 no such mailbox: ${mail.to}: ${mail.text}`);
      if (mail.isWanted !== false) world.mails.push(mail);
    },
  };
  world = await openTestWorld({
    log,
    overrides: { mailer, minuteLimit: unlimited, socialPorts: new Map([['google', google]]) },
  });
  issue('master key', TEST_MASTER_KEY);
  issue('password', PASSWORD);
  await liveOneDay();
  // What is collected at the end: everything that was mailed and texted.
  for (const { text, unsubscribeUrl } of world.mails) {
    for (const [code] of text.matchAll(/(?<![\d-])\d{6,8}(?![\d-])/g)) issue('code by mail', code);
    for (const [, token] of text.matchAll(/[?&](?:token|code)=([\w.~-]+)/g)) issue('link by mail', token);
    issue('link in a mail’s head', (unsubscribeUrl && new URL(unsubscribeUrl).searchParams.get('token')) || undefined);
  }
  for (const text of textMessages()) issue('code by text message', /\d{6}/.exec(text)?.[0]);
  return {
    world,
    canaries,
    lines,
    cookieSeconds,
    sent,
    async close() {
      globalThis.fetch = fetch;
      await world.proveLedger();
      await world.close();
    },
  };
}

function textMessages(): string[] {
  const directory = join(world.deps.config.dataDir, 'outbox');
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sms')) : [];
  return names.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')).text as string);
}

async function liveOneDay(): Promise<void> {
  const node = await enrolFakeNode(world);
  await node.serveOpenvpn();
  await node.serveIkev2();
  await signInOften();
  await useNodes();
  const user = await withPassword(await world.user({ usdCents: 2_000 }));
  await useConfigs(user, node);
  for (const secret of await tellBrowser(world, user)) issue('address or key of a browser', secret);
  await runOut(node);
  await countReach();
  await useFactors();
  await workOneDay(world);
  await closeTheMonth();
  await useMoney(user);
  await leave(node, user);
  // Jobs that fail: the mail server names the address and repeats the mail in its error.
  await world.client().sendVerificationCode({ body: { email: BOUNCES } });
  await eventually(() => lines.some((line) => line.includes('a job failed')) || undefined);
}

async function signInOften(): Promise<void> {
  const anonymous = world.client();
  // A code that nobody uses, and a wrong one.
  await anonymous.sendVerificationCode({ body: { email: 'unused@mail.example' } });
  await anonymous.verifyCode({ body: { email: 'unused@mail.example', code: '000000' } }).catch(() => undefined);
  const browser = new BrowserClient(world);
  const email = 'registered@mail.example';
  await browser.post('/auth/register', {
    name: 'نیلوفر آزمون',
    email,
    password: PASSWORD,
    password_confirmation: PASSWORD,
  });
  await browser.post('/auth/verify-email', { email, code: await codeFor(world, email) });
  await browser.post('/auth/refresh', {});
  await browser.post('/auth/login', { email, password: 'Wr0ng!password-1' });
  await browser.post('/auth/forgot-password', { email });
  const reset = await eventually(() => linkTo(email));
  await browser.post('/auth/reset-password', { token: reset, password: 'An0ther-password' });
  issue('password', 'An0ther-password');
  const other = await world.user({ usdCents: 0 });
  await anonymous.forgotPassword({ body: { email: other.email } });
  await eventually(() => linkTo(other.email));
  await fetchSocially();
  await other.api.sendPhoneCode({ body: { phone: '09120000333' } });
  await textTo(world, '09120000333');
  await other.api.sendConfirmation();
  await anonymous.startPasskeySignIn();
}

const linkTo = (email: string) =>
  world.mails
    .filter(({ to }) => to === email)
    .map(({ text }) => /reset-password\?token=(\S+)/.exec(text)?.[1])
    .find(Boolean);

async function fetchSocially(): Promise<void> {
  const start = await watchedFetch(`${world.origin}${API_BASE}/auth/social/google`, { redirect: 'manual' });
  const cookie = start.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  issue('code of a social sign-in', SOCIAL_CODE);
  await watchedFetch(`${world.origin}${API_BASE}/auth/social/google/callback?code=${SOCIAL_CODE}&state=x`, {
    redirect: 'manual',
    headers: { cookie },
  });
}

/** Tokens of enrolment, used and unused; the certificate authority's own keys stay sealed. */
async function useNodes(): Promise<void> {
  const order = { country: 'DE', city: 'Berlin', address: '198.51.100.9' };
  for (const name of ['used', 'unused']) {
    const { token } = await addNode(world.deps, { name, ...order });
    issue('token of enrolment', token);
    if (name === 'used') await enrolWith(world, token);
  }
}

async function useConfigs(user: TestUser, node: FakeNode): Promise<void> {
  const { api } = user;
  for (const protocol of ['wireguard', 'openvpn', 'ikev2'] as const) {
    const { data } = await api.createConfig({ body: { name: protocol, serverId: node.id, protocol, keepKey: true } });
    await node.settle();
    const file = String(await api.downloadConfig({ params: { id: data.config.id }, query: { system: 'apple' } }));
    for (const [, key] of file.matchAll(/(?:PrivateKey|PresharedKey) = (\S+)/g)) issue('key of a config', key);
    for (const [, , body = ''] of file.matchAll(/<(key|tls-crypt-v2)>([\s\S]*?)<\/\1>/g))
      for (const line of body.split('\n').filter((each) => /^[\w+/=]{40,}$/.test(each))) issue('key of a config', line);
    for (const [, secret] of file.matchAll(/<key>AuthPassword<\/key>\s*<string>([^<]+)/g))
      issue('secret of a config', secret);
  }
  const { data } = await api.listConfigs();
  const [first = '', second = ''] = data.configs.map(({ id }) => id);
  // One link that is opened, and one that waits.
  for (const id of [first, second]) {
    const family = await api.shareConfig({ params: { id }, body: { guest_name: 'مادر', monthly_gb: 20 } });
    issue('token of a family link', family.data.token);
    if (id === first) await new BrowserClient(world).post('/family/open', { token: family.data.token });
  }
  await api.setDnsFiltering({ body: { enabled: true } });
  await node.report([{ config: first, up: 400, down: 30_000 }], {
    tunnels: [{ config: first, handshakeAgeSeconds: 1, pingMs: 12 }],
    blockedQueries: [{ config: first, count: 3 }],
    reach: [{ network: 197_207, transport: 'wireguard', attempts: 5, through: 5 }],
  });
  await node.report([], { tunnels: [{ config: first, handshakeAgeSeconds: 400, pingMs: null }] });
  await api.resetDashboardTraffic();
  await api.updateSettings({ body: { emailNotifications: true, language: 'en' } });
  await api.updateProfile({ body: { email: 'pending@mail.example', password: PASSWORD } });
  await codeFor(world, 'pending@mail.example');
  await upload(world, user, await picture(20).png().toBuffer());
  await api.disconnect({ body: { configId: first } });
  await api.deleteConfig({ params: { id: second } });
  await node.settle();
  await node.report([{ config: second, up: 0, down: 0, final: true }]);
}

async function countReach(): Promise<void> {
  const { db, clock } = world.deps;
  const count = { network: 197_207, transport: 'wireguard', port: 0, attempts: 50, through: 25 } as const;
  for (const server of [randomUUID(), randomUUID()])
    await addCounts(db, server, [count], addSeconds(clock.now(), -7_200));
  await closeHours(db, clock.now());
}

async function runOut(node: FakeNode): Promise<void> {
  const { api } = await world.user({ usdCents: 1 });
  const { config } = (await api.createConfig({ body: { name: 'short', serverId: node.id } })).data;
  await node.settle();
  for (let used = -1; used < node.limitOf(config.id); ) {
    used = node.limitOf(config.id);
    await node.report([{ config: config.id, down: used }]);
  }
  await node.report([{ config: config.id, down: node.limitOf(config.id) }]);
}

async function useFactors(): Promise<void> {
  const user = await withPassword(await world.user({ usdCents: 0 }));
  const { data } = await user.api.startTotp({ body: { password: PASSWORD } });
  const app = new TOTP({ secret: Secret.fromBase32(data.secret) });
  await user.api.confirmTotp({ body: { code: app.generate() } });
  const { id } = await addPasskey(world, user);
  const recovery = await markSecondStep(user, id);
  const renewed = await user.api.renewRecoveryCodes({ body: { password: PASSWORD } });
  for (const code of [...recovery, ...(renewed.data.recovery_codes ?? [])]) issue('recovery code', code);
  // One browser finishes the second step, another leaves it open.
  const [used] = renewed.data.recovery_codes ?? [];
  await complete(await givePassword(world, user), { recovery_code: used });
  await givePassword(world, user);
  // Codes of the app are valid for a minute and a half, and none is kept.
  issue('code of the app', app.generate());
}

async function useMoney(user: TestUser): Promise<void> {
  const { codes } = await issueBatch(world.deps, { actor, count: 2, usd: '5', keepForExport: false });
  for (const code of codes) issue('gift card', code);
  const { batchId } = await issueBatch(world.deps, { actor, count: 2, usd: '5', keepForExport: true });
  const other = await issueBatch(world.deps, { actor, count: 2, usd: '5', keepForExport: true });
  const sale = { actor, operator: 'tests', reason: 'an order', batchId, toman: 700_000n };
  await sellBatch(world.deps, { ...sale, buyer: 'a shop' });
  await settleSale(world.deps, { ...sale, kind: 'paid' });
  await exportBatch(world.deps, { actor, batchId }, async (exported) => {
    for (const code of exported) issue('gift card', code);
  });
  issue('batch that waits for its export', other.codes[0]);
  await user.api.processGiftCard({ body: { gift_card_code: codes[0] ?? '' } });
  await user.api.verifyGiftCard({ body: { gift_card_code: 'ABCD-EFGH-JKMN-PQRS' } }).catch(() => undefined);
  await payAtBank(user, 'nextpay');
  const charge = { amount: 50_000, payment_method: 'zarinpal' } as const;
  await user.api.chargeWallet({ body: charge }, { headers: { 'idempotency-key': 'a charge of the day' } });
  await user.api
    .transferMoney({ body: { to: 'nobody@mail.example', amount: 10_000, password: PASSWORD } })
    .catch(() => undefined);
  const id = await payAndVerify(user, 'zarinpal');
  await user.api.refundPayment({ params: { id } });
  const { rows } = await sql<{ id: string }>`SELECT id FROM refund WHERE payment_id = ${id}`.execute(world.deps.db);
  await sendRefund(world.deps, rows[0]?.id ?? '');
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  await earnDays(world.deps);
  await sumPlans(world.deps);
  // To a store and back with a code.
  for (const slug of ['cardplus', 'card2gift'] as const)
    issue('secret of a store', testStoreKeys(world.deps.vault, slug).webhookSecret.toString('base64'));
  await pretendToBeStore(world.origin);
  const visit = await user.api.redirectToStore({ params: { store: 'card2gift' }, body: {} });
  for (const name of new URL(visit.redirect_url).searchParams.keys()) sent.store.add(name);
  const order = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ usd_cents: '500' }) } as const;
  const bought = await watchedFetch(visit.redirect_url.replace('?', '/buy/500?'), order);
  issue(
    'gift card from a store',
    new URL(bought.headers.get('location') ?? 'http://x').searchParams.get('gift_code') ?? undefined,
  );
  await user.api.redirectToStore({ params: { store: 'cardplus' }, body: {} });
}

/** As after the end of this month. */
async function closeTheMonth(): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const clock = manualClock(addDays(new Date(), 40));
  await closeMonth({ ...world.deps, clock }, { actor, operator: 'tests', month: monthOf(today) });
  await proveNew(world.deps);
  await reclaimIdleLeases(world.deps);
  await bookPastHours({ ...world.deps, clock: { now: () => addSeconds(world.deps.clock.now(), 3_600) } });
}

/** Somebody who used everything, under two addresses and a number, and then deleted the account. */
async function leave(node: FakeNode, friend: TestUser): Promise<void> {
  const user = await withPassword(await world.user({ email: LEAVER, usdCents: 2_000 }));
  const { api } = user;
  await api.createConfig({ body: { name: 'گوشی', serverId: node.id, protocol: 'openvpn', keepKey: true } });
  await api.sendPhoneCode({ body: { phone: LEAVER_PHONE } });
  const text = await textTo(world, LEAVER_PHONE);
  await api.verifyPhoneCode({ body: { phone: LEAVER_PHONE, code: /\d{6}/.exec(text)?.[0] ?? '' } });
  await api.updateSettings({ body: { emailNotifications: true, smsNotifications: true, language: 'fa' } });
  await upload(world, user, await picture(20).png().toBuffer());
  const mistake = { actor, operator: 'tests', reason: 'a mistake of ours' };
  await adjustBalance(world.deps, { ...mistake, email: LEAVER, amountToman: 1_000n });
  // In both directions: neither may keep the other's address.
  await api.transferMoney({ body: { to: friend.email, amount: 10_000, note: 'سلام', password: PASSWORD } });
  await friend.api.transferMoney({ body: { to: LEAVER, amount: 10_000, password: PASSWORD } });
  await api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } });
  await payAndVerify(user, 'idpay');
  await settleDay('idpay');
  await api.redirectToStore({ params: { store: 'cardplus' }, body: {} });
  await world
    .client()
    .login({ body: { email: LEAVER, password: 'Wr0ng!password-1' } })
    .catch(() => undefined);
  await api.updateProfile({ body: { email: LEAVER_LATER, password: PASSWORD } });
  await api.verifyNewEmail({ body: { code: await codeFor(world, LEAVER_LATER) } });
  await world.client().forgotPassword({ body: { email: LEAVER_LATER } });
  await api.deleteAccount({ body: { password: PASSWORD } });
  for (const address of [LEAVER, LEAVER_LATER]) issue('address of somebody who left', address);
  issue('number of somebody who left', LEAVER_PHONE);
}

/** The bank's settlement file, with a line about nobody's payment. */
async function settleDay(gateway: 'idpay'): Promise<void> {
  const file = await (await watchedFetch(`${world.origin}/dev/bank/${gateway}/settlement.csv`)).text();
  const content = { name: 'day.csv', bytes: Buffer.from(`${file}4711;;;900000;0;\n`) };
  await importSettlementFile(world.deps, { actor, gateway, ...content });
}

import { randomUUID } from 'node:crypto';
import type { Arguments } from '@raha/contract/endpoint.ts';
import { API_BASE, type publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { signWebhook } from '../../src/adapters/stores/standard-webhook.ts';
import { testStoreKeys } from '../../src/app/stores.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { payer } from '../money/bench.ts';
import { enrolledPasskey, halfSignedIn, passkeyOf, strayRegistration } from '../passkeys.ts';
import { codeFor, eventually, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';
import { familyRequests } from './family-requests.ts';

/** What the owner has, for requests that name something: every other caller then sends the same request. */
export interface Belongings {
  readonly world: TestWorld;
  readonly owner: TestUser;
  readonly serverId: string;
  readonly configId: string;
}

type Calls = typeof publicEndpoints;

/** A user with money, a password and a config on a server that is online. */
export async function openBelongings(world: TestWorld): Promise<Belongings> {
  const node = await enrolFakeNode(world);
  const owner = await world.user({ usdCents: 50_000 });
  await world.user({ email: 'taker@mail.example' });
  await withPassword(owner);
  const { data } = await owner.api.createConfig({
    body: { name: 'گوشی', serverId: node.id, protocol: 'wireguard', keepKey: true },
  });
  await node.settle();
  return { world, owner, serverId: node.id, configId: data.config.id };
}

/** Sends a call as it goes over the wire; `token` identifies the sender. */
export async function sendCall(
  origin: string,
  method: string,
  path: string,
  request: WireRequest,
  token: string | undefined,
): Promise<Response> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((request.params?.[name] ?? 'x').toWellFormed()),
  );
  const query = request.query ? `?${new URLSearchParams(request.query)}` : '';
  const body = method === 'GET' || request.body === undefined ? undefined : JSON.stringify(request.body);
  const form = method === 'POST' && path.endsWith('/user/avatar') ? pictureForm() : undefined;
  return await fetch(`${origin}${filled}${query}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(form ? { body: form } : body === undefined ? {} : { body }),
  });
}

/** The only call that takes a file: a picture of one pixel. */
function pictureForm(): FormData {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const form = new FormData();
  form.set('avatar', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'pixel.png');
  return form;
}

/** What a call carries, on the wire. */
export interface WireRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Cookies and signatures, for calls that they authorize. */
  readonly headers?: Readonly<Record<string, string>>;
}

type RequestOf<Call extends keyof Calls> = Arguments<Calls[Call]> & Pick<WireRequest, 'headers'>;

const bare = () => ({});
const today = new Date().toISOString().slice(0, 10);
let made = 0;
const address = () => {
  made += 1;
  return `table${made}@mail.example`;
};

/**
 * One valid request for each call. If it names something, that belongs to the owner and is created anew when the call uses
 * it up.
 */
export const requests: {
  readonly [Call in keyof Calls]: (has: Belongings) => RequestOf<Call> | Promise<RequestOf<Call>>;
} = {
  sendVerificationCode: () => ({ body: { email: address() } }),
  verifyCode: async (has) => ({ body: await coded(has) }),
  completeProfile: () => ({ body: { name: 'نیلوفر آزمون' } }),
  completeRegistration: async (has) => {
    const { email, code: verificationCode } = await coded(has);
    return { body: { email, fullName: 'نیلوفر آزمون', verificationCode } };
  },
  me: bare,
  refresh: async (has) => ({ body: { refreshToken: (await registered(has)).refreshToken } }),
  logout: bare,
  login: async (has) => ({ body: { email: (await registered(has)).email, password: PASSWORD } }),
  commonPasswords: () => ({ params: { prefix: 'abc' } }),
  register: () => ({
    body: {
      name: 'نیلوفر آزمون',
      email: address(),
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
  }),
  forgotPassword: () => ({ body: { email: address() } }),
  resetPassword: async (has) => ({ body: { token: await forgotten(has), password: PASSWORD } }),
  verifyEmail: () => ({ body: { email: address(), code: '123456' } }),
  resendVerification: () => ({ body: { email: address() } }),
  changePassword: () => ({
    body: {
      current_password: 'Wr0ng!password-1',
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
  }),
  updateProfile: () => ({ body: { name: 'نیلوفر آزمون' } }),
  listSessions: bare,
  endSession: async ({ world, owner }) => {
    // A second session of the owner, so that the first one continues.
    await world.client().login({ body: { email: owner.email, password: PASSWORD } });
    const { data } = await owner.api.listSessions();
    return { params: { id: data.sessions.find(({ current }) => !current)?.id ?? randomUUID() } };
  },
  endOtherSessions: bare,
  listSocialProviders: bare,
  startSocial: () => ({ params: { provider: 'google' } }),
  googleOauth: async ({ world }) => {
    // The cookie of a visitor who was sent to Google a moment ago.
    const { headers } = await fetch(`${world.origin}${API_BASE}/auth/social/google`, { redirect: 'manual' });
    const redirectUri = `${world.deps.publicUrl}/auth/google/callback`;
    return { body: { code: address(), state: 'x', redirectUri }, headers: { cookie: cookieOf(headers, 'social') } };
  },
  socialReturn: () => ({ params: { provider: 'google' } }),
  startPasskeySignIn: bare,
  signInWithPasskey: async ({ world }) => ({ body: { credential: await enrolledPasskey(world, address()) } }),
  getSecondStep: async ({ world }) => ({ headers: { cookie: (await halfSignedIn(world, address())).cookie } }),
  startSecondStepPasskey: async ({ world }) => ({
    headers: { cookie: (await halfSignedIn(world, address())).cookie },
  }),
  completeSecondStep: async ({ world }) => {
    const { cookie, recoveryCode } = await halfSignedIn(world, address());
    return { body: { recovery_code: recoveryCode }, headers: { cookie } };
  },
  listFactors: bare,
  startConfirmationByPasskey: bare,
  startPasskey: () => ({ body: { password: PASSWORD } }),
  addPasskey: ({ world }) => ({ body: { name: 'لپ‌تاپ', credential: strayRegistration(world) } }),
  renamePasskey: async ({ world, owner }) => ({
    params: { id: await passkeyOf(world, owner) },
    body: { name: 'لپ‌تاپ' },
  }),
  setPasskeySecondStep: async ({ world, owner }) => ({
    params: { id: await passkeyOf(world, owner) },
    body: { enabled: false, password: PASSWORD },
  }),
  removePasskey: async ({ world, owner }) => ({
    params: { id: await passkeyOf(world, owner) },
    body: { password: PASSWORD },
  }),
  startTotp: () => ({ body: { password: PASSWORD } }),
  confirmTotp: () => ({ body: { code: '123456' } }),
  removeTotp: () => ({ body: { password: PASSWORD } }),
  renewRecoveryCodes: () => ({ body: { password: PASSWORD } }),
  getSite: bare,
  getPrices: bare,
  getWallet: bare,
  listWalletTransactions: bare,
  getWalletTransaction: async ({ owner }) => ({
    params: {
      id: (await owner.api.listWalletTransactions({ query: {} })).data.transactions[0]?.id ?? randomUUID(),
    },
  }),
  listPaymentGateways: bare,
  chargeWallet: () => ({ body: { amount: 50_000, payment_method: 'zarinpal' } }),
  verifyCharge: async (has) => ({ body: { transaction_id: await paid(has) } }),
  transferMoney: () => ({ body: { to: 'taker@mail.example', amount: 10_000 } }),
  getWalletStats: bare,
  getWalletChart: bare,
  gatewayReturn: () => ({ params: { gateway: 'zarinpal', id: randomUUID(), seal: 'x'.repeat(22) } }),
  gatewayReturnPosted: () => ({ params: { gateway: 'idpay', id: randomUUID(), seal: 'x'.repeat(22) } }),
  getStatement: bare,
  getStatementDay: () => ({ params: { day: today } }),
  exportStatement: bare,
  listPayments: bare,
  searchPayments: () => ({ query: { q: 'zarinpal' } }),
  getPaymentStats: bare,
  listPaymentMethods: bare,
  createPayment: () => ({ body: { amount: 50_000, gateway: 'zarinpal' } }),
  getPayment: async (has) => ({ params: { id: await started(has) } }),
  verifyPayment: async (has) => ({ params: { id: await paid(has) } }),
  cancelPayment: async (has) => ({ params: { id: await started(has) } }),
  refundPayment: async (has) => ({ params: { id: await completed(has) } }),
  downloadReceipt: async (has) => ({ params: { id: await completed(has) } }),
  listInvoices: bare,
  downloadInvoice: async (has) => ({ params: { id: await invoiced(has) } }),
  listGiftCards: bare,
  verifyGiftCard: async ({ world }) => ({ body: { gift_card_code: await world.giftCard() } }),
  processGiftCard: async ({ world }) => ({
    body: { gift_card_code: await world.giftCard(), subscription_type: 'usage_based', payment_method: 'gift_card' },
  }),
  activateAccount: async ({ world }) => ({ body: { giftCardCode: await world.giftCard() } }),
  listStores: bare,
  getStoreUrl: () => ({ params: { store: 'card2gift' } }),
  redirectToStore: () => ({ params: { store: 'cardplus' } }),
  getStoreRedirect: async ({ owner, world }) => ({ params: { id: await visited(world, owner) } }),
  storeWebhook: async ({ world, owner }) => {
    const ref = await visited(world, owner);
    const body = { type: 'order.paid', data: { ref, order_id: 'x', gift_code: await world.giftCard() } };
    const sent = String(Math.floor(world.deps.clock.now().getTime() / 1000));
    const message = { id: randomUUID(), timestamp: sent, body: JSON.stringify(body) };
    const signature = signWebhook(testStoreKeys(world.deps.vault, 'cardplus').webhookSecret, message);
    const headers = { 'webhook-id': message.id, 'webhook-timestamp': sent, 'webhook-signature': signature };
    return { params: { store: 'cardplus' }, body, headers };
  },
  listSubscriptions: bare,
  listPlans: bare,
  quoteSubscription: () => ({ query: { plan_id: 'basic' } }),
  subscriptionHistory: bare,
  purchaseSubscription: () => ({ body: { plan_id: 'basic' } }),
  renewSubscription: async (has) => ({ params: { id: await subscribed(has) } }),
  cancelSubscription: async (has) => ({ params: { id: await subscribed(has) } }),
  getUsdRate: bare,
  refreshUsdRate: bare,
  convertCurrency: () => ({ body: { amount: 5 } }),
  getRateCacheInfo: bare,
  readDnsFiltering: bare,
  setDnsFiltering: () => ({ body: { enabled: true } }),
  listConfigs: bare,
  createConfig: ({ serverId }) => ({ body: { name: 'تبلت', serverId, protocol: 'wireguard' } }),
  getConfig: ({ configId: id }) => ({ params: { id } }),
  renameConfig: ({ configId: id }) => ({ params: { id }, body: { name: 'لپ‌تاپ' } }),
  deleteConfig: async (has) => ({ params: { id: await another(has) } }),
  resetConfig: ({ configId: id }) => ({ params: { id } }),
  downloadConfig: ({ configId: id }) => ({ params: { id }, query: { system: 'apple' } }),
  configQr: ({ configId: id }) => ({ params: { id } }),
  listServers: bare,
  connect: ({ configId }) => ({ body: { configId } }),
  disconnect: ({ configId }) => ({ body: { configId } }),
  connectionStatus: bare,
  connectionMetrics: bare,
  ...familyRequests,
  getServer: ({ serverId: id }) => ({ params: { id } }),
  testServer: ({ serverId: id }) => ({ params: { id } }),
  getStatsOfServer: ({ serverId: id }) => ({ params: { id } }),
  testConnection: ({ serverId }) => ({ body: { serverId } }),
  listConnections: bare,
  getNetworkStatus: bare,
  getReach: bare,
  answerReach: () => ({ body: { transport: 'wireguard', connected: true } }),
  getDashboard: bare,
  getDashboardTraffic: bare,
  resetDashboardTraffic: bare,
  getDashboardWallet: bare,
  getFinancialStats: bare,
  getServerStats: bare,
  getTrafficStats: bare,
  getDashboardRealtime: bare,
  getPerformance: bare,
  getActivity: bare,
  getRecommendations: bare,
  getDashboardConfigs: bare,
  listNotifications: bare,
  countUnreadNotifications: bare,
  readAllNotifications: bare,
  readNotification: async (has) => ({ params: { id: await firstNotification(has) } }),
  deleteNotification: async (has) => ({ params: { id: await firstNotification(has) } }),
  deleteNotifications: bare,
  stream: bare,
  getNotificationChoices: bare,
  updateNotificationChoices: () => ({ body: { mail: ['low_balance'] } }),
  getPush: bare,
  turnPushOn: () => ({ body: anyBrowser() }),
  turnPushOff: bare,
  askUnsubscribe: () => ({ query: { token: 'x' } }),
  unsubscribe: () => ({ query: { token: 'x' } }),
  getProfile: bare,
  sendConfirmation: bare,
  resendNewEmailCode: bare,
  verifyNewEmail: () => ({ body: { code: '123456' } }),
  cancelNewEmail: bare,
  uploadAvatar: bare,
  deleteAvatar: bare,
  showAvatar: () => ({ params: { id: randomUUID() } }),
  // A different number for each caller, because one number gets one code a minute.
  sendPhoneCode: () => ({ body: { phone: `0912${String(Number(/\d+/.exec(address())?.[0])).padStart(7, '0')}` } }),
  verifyPhoneCode: () => ({ body: { phone: '09121234567', code: '123456' } }),
  getSettings: bare,
  updateSettings: () => ({ body: { emailNotifications: true, language: 'fa' } }),
  listOperatorActions: bare,
  getUsage: bare,
  exportAccount: bare,
  // Wrong on purpose, and last: every caller's account is needed by the calls before.
  deleteAccount: () => ({ body: { password: 'Wr0ng!password-1' } }),
  deactivateAccount: () => ({ body: { password: 'Wr0ng!password-1' } }),
};

/** A new user, and the code that was sent to them. */
async function coded({ world }: Belongings): Promise<{ email: string; code: string }> {
  const email = address();
  await world.client().sendVerificationCode({ body: { email } });
  return { email, code: await codeFor(world, email) };
}

/** A new user with a password and a session. */
async function registered({ world }: Belongings): Promise<{ email: string; refreshToken: string }> {
  const email = address();
  const body = { name: 'نیلوفر آزمون', email, password: PASSWORD, password_confirmation: PASSWORD };
  const { headers } = await sendCall(world.origin, 'POST', `${API_BASE}/auth/register`, { body }, undefined);
  return { email, refreshToken: cookieOf(headers, 'refreshToken').split('=')[1] ?? '' };
}

/** The token from the link that a new user gets after requesting a new password. */
async function forgotten(has: Belongings): Promise<string> {
  const { email } = await registered(has);
  await has.world.client().forgotPassword({ body: { email } });
  return await eventually(() =>
    has.world.mails
      .filter(({ to }) => to === email)
      .map(({ text }) => /reset-password\?token=(\S+)/.exec(text)?.[1])
      .find(Boolean),
  );
}

/** A cookie as the browser returns it; empty when there is none. */
export function cookieOf(headers: Headers, name: string): string {
  return (
    headers
      .getSetCookie()
      .find((line) => line.startsWith(`${name}=`))
      ?.split(';')[0] ?? ''
  );
}

/** The owner's visit to a store. */
async function visited(world: TestWorld, owner: TestUser): Promise<string> {
  await owner.api.redirectToStore({ params: { store: 'cardplus' } }).catch(() => undefined);
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM gift_card_redirect WHERE user_id = ${owner.id} AND store = 'cardplus' LIMIT 1
  `.execute(world.deps.db);
  return rows[0]?.id ?? randomUUID();
}

async function started({ owner }: Belongings): Promise<string> {
  return (await owner.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } })).transaction_id;
}

async function paid(has: Belongings): Promise<string> {
  const id = await started(has);
  await payer(has.world, id, 'PAID');
  return id;
}

async function completed(has: Belongings): Promise<string> {
  const id = await paid(has);
  await has.owner.api.verifyPayment({ params: { id } });
  return id;
}

async function invoiced(has: Belongings): Promise<string> {
  await completed(has);
  const { data } = await has.owner.api.listInvoices();
  return data.invoices[0]?.id ?? '';
}

async function subscribed({ owner }: Belongings): Promise<string> {
  const { data } = await owner.api.listSubscriptions();
  const active = data.activeSubscription ?? undefined;
  if (active?.id) return active.id;
  return (await owner.api.purchaseSubscription({ body: { plan_id: 'basic' } })).data.subscription.id;
}

/** A second config, which the `createConfig` request has created. */
async function another({ owner, configId }: Belongings): Promise<string> {
  const { data } = await owner.api.listConfigs();
  return data.configs.find(({ id }) => id !== configId)?.id ?? randomUUID();
}

/** An address where nothing listens, with the keys of the example in RFC 8291. */
function anyBrowser() {
  return {
    endpoint: 'http://127.0.0.1:9/push/nobody',
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
}

async function firstNotification({ owner }: Belongings): Promise<string> {
  return (await owner.api.listNotifications({ query: {} })).data.notifications[0]?.id ?? randomUUID();
}

import { randomUUID } from 'node:crypto';
import type { Arguments } from '@raha/contract/endpoint.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { enrolFakeNode } from '../fake-node.ts';
import { payer } from '../money/bench.ts';
import { PASSWORD, type TestPerson, type TestWorld, withPassword } from '../world.ts';

/** What the owner has, for requests that name something: the same request is then sent by everybody else. */
export interface Belongings {
  readonly world: TestWorld;
  readonly owner: TestPerson;
  readonly serverId: string;
  readonly configId: string;
}

type Calls = typeof publicEndpoints;

/** Somebody with money, a password and a config on a server that is there. */
export async function openBelongings(world: TestWorld): Promise<Belongings> {
  const node = await enrolFakeNode(world);
  const owner = await world.person({ usdCents: 50_000 });
  await world.person({ email: 'taker@mail.example' });
  await withPassword(owner);
  const { data } = await owner.api.createConfig({
    body: { name: 'گوشی', serverId: node.id, protocol: 'wireguard', keepKey: true },
  });
  await node.settle();
  return { world, owner, serverId: node.id, configId: data.config.id };
}

/** Sends a call as it goes over the wire; `token`: who sends it. */
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
    },
    ...(form ? { body: form } : body === undefined ? {} : { body }),
  });
}

/** The one call that takes a file: a picture of one pixel. */
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
}

/** Of the owner, and of whoever registers. */

const bare = () => ({});
const today = new Date().toISOString().slice(0, 10);
let made = 0;
const address = () => {
  made += 1;
  return `table${made}@mail.example`;
};

/** One valid request for each call; one that names something names what is the owner's, made afresh where the call uses it up. */
export const requests: {
  readonly [Call in keyof Calls]: (has: Belongings) => Arguments<Calls[Call]> | Promise<Arguments<Calls[Call]>>;
} = {
  sendVerificationCode: () => ({ body: { email: address() } }),
  verifyCode: () => ({ body: { email: address(), code: '123456' } }),
  completeProfile: () => ({ body: { name: 'نیلوفر آزمون' } }),
  completeRegistration: () => ({ body: { email: address(), fullName: 'نیلوفر آزمون', verificationCode: '123456' } }),
  me: bare,
  refresh: () => ({ body: {} }),
  logout: bare,
  login: () => ({ body: { email: address(), password: 'Wr0ng!password-1' } }),
  register: () => ({
    body: {
      name: 'نیلوفر آزمون',
      email: address(),
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
  }),
  forgotPassword: () => ({ body: { email: address() } }),
  resetPassword: () => ({ body: { token: 'x'.repeat(43), password: PASSWORD } }),
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
    // A second sign-in of the owner's, so that the first goes on.
    await world.client().login({ body: { email: owner.email, password: PASSWORD } });
    const { data } = await owner.api.listSessions();
    return { params: { id: data.sessions.find(({ current }) => !current)?.id ?? randomUUID() } };
  },
  endOtherSessions: bare,
  listSocialProviders: bare,
  startSocial: () => ({ params: { provider: 'google' } }),
  googleOauth: () => ({ body: { code: 'x', state: 'x', redirectUri: 'https://raha.example/auth/google/callback' } }),
  socialReturn: () => ({ params: { provider: 'google' } }),
  getSite: bare,
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
  listGiftCards: bare,
  verifyGiftCard: async ({ world }) => ({ body: { gift_card_code: await world.giftCard() } }),
  processGiftCard: async ({ world }) => ({
    body: { gift_card_code: await world.giftCard(), subscription_type: 'usage_based', payment_method: 'gift_card' },
  }),
  activateAccount: async ({ world }) => ({ body: { giftCardCode: await world.giftCard() } }),
  listStores: bare,
  getStoreUrl: () => ({ params: { store: 'card2gift' } }),
  redirectToStore: () => ({ params: { store: 'cardplus' } }),
  getStoreRedirect: async ({ owner, world }) => {
    await owner.api.redirectToStore({ params: { store: 'cardplus' } }).catch(() => undefined);
    const { rows } = await sql<{
      id: string;
    }>`SELECT id FROM gift_card_redirect WHERE user_id = ${owner.id} LIMIT 1`.execute(world.deps.db);
    return { params: { id: rows[0]?.id ?? randomUUID() } };
  },
  storeWebhook: () => ({
    params: { store: 'card2gift' },
    body: { type: 'order.paid', timestamp: today, data: { ref: 'x', order_id: 'x', gift_code: 'x' } },
  }),
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
  readScreening: bare,
  setScreening: () => ({ body: { enabled: true } }),
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
  getServer: ({ serverId: id }) => ({ params: { id } }),
  testServer: ({ serverId: id }) => ({ params: { id } }),
  getStatsOfServer: ({ serverId: id }) => ({ params: { id } }),
  testConnection: ({ serverId }) => ({ body: { serverId } }),
  listConnections: bare,
  getNetworkStatus: bare,
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
  readNotification: async (has) => ({ params: { id: await noticed(has) } }),
  deleteNotification: async (has) => ({ params: { id: await noticed(has) } }),
  deleteNotifications: bare,
  stream: bare,
  getNotificationChoices: bare,
  updateNotificationChoices: () => ({ body: { mail: ['low_balance'] } }),
  askUnsubscribe: () => ({ query: { token: 'x' } }),
  unsubscribe: () => ({ query: { token: 'x' } }),
  getProfile: bare,
  sendConfirmation: bare,
  verifyNewEmail: () => ({ body: { code: '123456' } }),
  cancelNewEmail: bare,
  uploadAvatar: bare,
  deleteAvatar: bare,
  showAvatar: () => ({ params: { id: randomUUID() } }),
  // A number of its own for each, because a number is sent one code a minute.
  sendPhoneCode: () => ({ body: { phone: `0912${String(Number(/\d+/.exec(address())?.[0])).padStart(7, '0')}` } }),
  verifyPhoneCode: () => ({ body: { phone: '09121234567', code: '123456' } }),
  getSettings: bare,
  updateSettings: () => ({ body: { emailNotifications: true, language: 'fa' } }),
  getUsage: bare,
  exportAccount: bare,
  // Wrong, and last: whoever they are, they are needed for the calls before.
  deleteAccount: () => ({ body: { password: 'Wr0ng!password-1' } }),
  deactivateAccount: bare,
};

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

async function subscribed({ owner }: Belongings): Promise<string> {
  const { data } = await owner.api.listSubscriptions();
  const active = data.activeSubscription ?? undefined;
  if (active?.id) return active.id;
  return (await owner.api.purchaseSubscription({ body: { plan_id: 'basic' } })).data.subscription.id;
}

/** The one made by `createConfig`. */
async function another({ owner, configId }: Belongings): Promise<string> {
  const { data } = await owner.api.listConfigs();
  return data.configs.find(({ id }) => id !== configId)?.id ?? randomUUID();
}

async function noticed({ owner }: Belongings): Promise<string> {
  return (await owner.api.listNotifications({ query: {} })).data.notifications[0]?.id ?? randomUUID();
}

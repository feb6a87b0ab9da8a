import type { Reply } from '@raha/contract/endpoint.ts';
import { BYTES_PER_GB as GB } from '@raha/contract/money.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { m } from '../text/generated/messages.js';
import { now } from './clock.ts';
import { SAMPLE_ID } from './sample-id.ts';

/** The samples of specification 2, section 4: an invented wallet, payments and dashboard, kept in this tab only. */
type Calls = typeof publicEndpoints;
type Wanted = (path: RegExpExecArray, body: Record<string, unknown>, query: URLSearchParams) => unknown;

/** The amount that a sample payment credits, whatever was requested. */
const CREDIT = 100_000;
const OPENING = 250_000;
/** The card that the wallet began with, before the samples of usage. */
const GIFT_CARD = OPENING + 50_000;

export function sampleAnswer(method: string, url: string, body: BodyInit | null | undefined): Response | undefined {
  const { pathname, searchParams } = new URL(url, location.origin);
  for (const [call, pattern, answer] of calls) {
    const match = call === method ? pattern.exec(pathname.replace('/api/v1', '')) : null;
    if (match) return Response.json(answer(match, typeof body === 'string' ? JSON.parse(body) : {}, searchParams));
  }
  return undefined;
}

const calls: readonly [string, RegExp, Wanted][] = [
  ['GET', /^\/user\/wallet$/, wallet],
  ['GET', /^\/user\/wallet\/transactions$/, transactions],
  ['GET', /^\/user\/wallet\/payment-gateways$/, gateways],
  ['GET', /^\/user\/wallet\/statement$/, statement],
  ['POST', /^\/user\/wallet\/charge$/, charge],
  ['POST', /^\/user\/wallet\/verify$/, (_path, body) => verify(String(body.transaction_id))],
  ['GET', /^\/payments$/, (_path, _body, query) => payments(query)],
  ['GET', /^\/payments\/stats$/, paymentStats],
  ['POST', new RegExp(`^/payments/(${SAMPLE_ID}[0-9a-f-]+)/verify$`), (path) => verify(path[1] ?? '')],
  ['GET', /^\/user\/dashboard$/, dashboard],
  ['GET', /^\/user\/dashboard\/traffic$/, traffic],
];

interface Kept {
  readonly balance: number;
  readonly charges: readonly { readonly id: string; readonly at: string; readonly done: boolean }[];
}

const KEY = 'sample-wallet';

function kept(): Kept {
  return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? { balance: OPENING, charges: [] };
}

function keep(next: Kept): void {
  sessionStorage.setItem(KEY, JSON.stringify(next));
}

function charge(): Reply<Calls['chargeWallet']> {
  const { balance, charges } = kept();
  const id = idOf(1_000 + charges.length);
  keep({ balance, charges: [{ id, at: new Date(now()).toISOString(), done: false }, ...charges] });
  return { success: true, transaction_id: id, payment_url: `${paths.charge}?payment=${id}&outcome=ok` };
}

function verify(id: string): Reply<Calls['verifyCharge']> {
  const { balance, charges } = kept();
  const isNew = charges.some((each) => each.id === id && !each.done);
  const next = balance + (isNew ? CREDIT : 0);
  keep({ balance: next, charges: charges.map((each) => (each.id === id ? { ...each, done: true } : each)) });
  return { success: true, status: 'completed', amount: CREDIT, ref_id: m.sample_reference(), balance: next };
}

function wallet(): Reply<Calls['getWallet']> {
  const { balance } = kept();
  const lines = sampleLines();
  return {
    success: true,
    data: {
      balance,
      reserved: 0,
      owed: 0,
      price_per_gb: 2_500,
      price_is_current: true,
      trial: null,
      stats: {
        totalDeposits: sumOf(lines.filter(({ amount }) => amount > 0)),
        totalWithdrawals: -sumOf(lines.filter(({ amount }) => amount < 0)),
        totalTransactions: lines.length,
      },
    },
  };
}

function transactions(): Reply<Calls['listWalletTransactions']> {
  const lines = sampleLines();
  return {
    success: true,
    data: { transactions: lines, pagination: { current: 1, total: lines.length, total_pages: 1 } },
  };
}

function statement(): Reply<Calls['getStatement']> {
  return { success: true, data: { days: [], pagination: { page: 1, total_pages: 1, total: 0 } } };
}

function gateways(): Reply<Calls['listPaymentGateways']> {
  return {
    success: true,
    data: { gateways: [{ name: 'zarinpal', title: m.sample_gateway(), test: true, health: 'good' }], held: false },
  };
}

function payments(query: URLSearchParams): Reply<Calls['listPayments']> {
  const has = (value: string, wanted: string | null) => !wanted || value === wanted;
  const list = samplePayments().filter(
    ({ status, type, description }) =>
      has(status, query.get('status')) && has(type, query.get('type')) && description.includes(query.get('q') ?? ''),
  );
  return { success: true, data: { payments: list, pagination: { page: 1, total_pages: 1, total: list.length } } };
}

const isPurchase = (type: PaymentRecord['type']) => type !== 'wallet_charge' && type !== 'gift_card';

function paymentStats(): Reply<Calls['getPaymentStats']> {
  const list = samplePayments();
  const count = (status: PaymentRecord['status']) => list.filter((payment) => payment.status === status).length;
  return {
    success: true,
    data: {
      successfulPayments: count('completed'),
      pendingPayments: count('pending'),
      failedPayments: count('failed'),
      cancelledPayments: count('cancelled'),
      refundedPayments: 0,
      totalAmount: sumOf(list.filter(({ status, type }) => status === 'completed' && !isPurchase(type))),
      totalPurchases: sumOf(list.filter(({ status, type }) => status === 'completed' && isPurchase(type))),
    },
  };
}

function dashboard(): Reply<Calls['getDashboard']> {
  return {
    success: true,
    data: {
      user: { id: idOf(1), name: m.sample_name(), balance: kept().balance },
      quickStats,
      subscriptionStatus: {
        id: null,
        plan: null,
        type: 'perpetual',
        status: 'active',
        isTrial: false,
        isActive: true,
        endDate: null,
        daysRemaining: null,
        days: null,
        trial: null,
        traffic_used: 0,
        max_devices: null,
        devices_used: 0,
      },
      activeConfigs: [],
      otherConfigs: [],
      connection: null,
      recentTransactions: sampleLines().slice(0, 4),
      charts: { trafficTrend: trend() },
      recentLogs: [],
      recommendations: [],
    },
  };
}

function traffic(): Reply<Calls['getDashboardTraffic']> {
  return { success: true, data: { quickStats, trafficTrend: trend(), periodTraffic: quickStats.weeklyTraffic } };
}

const week = [4, 9, 6, 13, 22, 8, 3];
const quickStats = {
  totalTraffic: 180 * GB,
  todayTraffic: 3 * GB,
  weeklyTraffic: 65 * GB,
  monthlyTraffic: 140 * GB,
  since: null,
};

function trend() {
  const days = week.map((gb, index) => ({ label: dayOf(week.length - 1 - index), value: gb * GB }));
  return { labels: days.map(({ label }) => label), data: days };
}

/** The day of Tehran a number of days ago. */
function dayOf(daysAgo: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tehran' }).format(now() - daysAgo * 86_400_000);
}

function ago(days: number): string {
  return new Date(now() - days * 86_400_000).toISOString();
}

function sampleLines(): WalletTransaction[] {
  const charges = kept()
    .charges.filter(({ done }) => done)
    .map(({ id, at }) => line(id, CREDIT, 'wallet_charge', m.sample_charge(), at));
  return [
    ...charges,
    line(idOf(2), -15_000, 'usage', m.sample_usage(), ago(1)),
    line(idOf(3), -35_000, 'usage', m.sample_usage(), ago(2)),
    line(idOf(4), GIFT_CARD, 'gift_card', m.sample_gift_card(), ago(5)),
  ];
}

function line(
  id: string,
  amount: number,
  type: WalletTransaction['type'],
  description: string,
  created_at: string,
): WalletTransaction {
  return { id, amount, type, description, status: 'completed', created_at };
}

/** The payments of this tab, and the one that the sample wallet began with, beside one that came to nothing. */
function samplePayments(): PaymentRecord[] {
  return [
    ...kept().charges.map(({ id, at, done }) => payment(id, CREDIT, done ? 'completed' : 'pending', at)),
    payment(idOf(5), CREDIT, 'cancelled', ago(4)),
    {
      ...payment(idOf(4), GIFT_CARD, 'completed', ago(5)),
      type: 'gift_card',
      purpose: 'gift_card',
      gateway: null,
      paymentMethod: { provider: 'gift_card', title: m.sample_gift_card() },
      description: m.sample_gift_card(),
    },
  ];
}

function payment(id: string, amount: number, status: PaymentRecord['status'], at: string): PaymentRecord {
  return {
    id,
    paymentId: id,
    reference_id: status === 'completed' ? m.sample_reference() : null,
    amount,
    type: 'wallet_charge',
    purpose: 'wallet_charge',
    status,
    gateway: 'zarinpal',
    paymentMethod: { provider: 'zarinpal', title: m.sample_gateway() },
    description: m.sample_charge(),
    tracking_code: null,
    receipt_url: null,
    refundable: false,
    refundable_amount: 0,
    refundable_until: null,
    refund_arrival_days: null,
    cancellable: false,
    refund: null,
    created_at: at,
    updated_at: at,
  };
}

function sumOf(items: readonly { readonly amount: number }[]): number {
  return items.reduce((sum, { amount }) => sum + amount, 0);
}

function idOf(serial: number): string {
  return `${SAMPLE_ID}0000-7000-8000-${String(serial).padStart(12, '0')}`;
}

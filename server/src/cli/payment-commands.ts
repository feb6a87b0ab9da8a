import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { openGateways } from '../app/open-gateways.ts';
import { createNotifier } from '../modules/notifications/notifier.ts';
import { getGatewayHealth } from '../modules/payments/gateway-health.ts';
import type { PaymentNotifications } from '../modules/payments/notifications.ts';
import { listOfferedGateways } from '../modules/payments/offered-gateways.ts';
import { listPaymentsToReview, reviewPayment } from '../modules/payments/review-payment.ts';
import { gatewayOrder, gatewaySwitches } from '../modules/payments/settings.ts';
import { listRefundQueue, settleRefundByHand } from '../modules/payments/settle-refund.ts';
import { type Bus, openBus } from '../platform/bus.ts';
import { systemClock } from '../platform/clock.ts';
import { openJobs, type Worker } from '../platform/jobs.ts';
import { createLog } from '../platform/log.ts';
import type { Notifier } from '../platform/notifications.ts';
import { getSetting, setSetting } from '../platform/settings.ts';
import { type Commands, type Context, type Result, text, UsageError } from './context.ts';

/** Gateways on and off and in order; refunds that wait for the operator. */
export const paymentCommands: Commands = {
  'gateways list': { usage: '', run: listGateways },
  'gateways on': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchGateway(context, 'on') },
  'gateways off': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchGateway(context, 'off') },
  'gateways auto': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchGateway(context, 'auto') },
  'gateways order': { usage: '<first> [second] [third]', run: orderGateways },
  'payments review': { usage: '', run: listReviews },
  'payments credit': {
    usage: '--id <payment> --ref <reference of the bank> --by <name> --note <what was found> [--same-ref]',
    flags: ['id', 'ref', 'by', 'note'],
    switches: ['same-ref'],
    run: (context: Context) => review(context, 'credited'),
  },
  'payments fail': {
    usage: '--id <payment> --by <name> --note <what was found>',
    flags: ['id', 'by', 'note'],
    run: (context: Context) => review(context, 'failed'),
  },
  'refunds list': { usage: '', run: listRefunds },
  'refunds sent': {
    usage: '--id <refund> --tracking <number> --by <name> [--note text]',
    flags: ['id', 'tracking', 'by', 'note'],
    run: (context: Context) => settle(context, 'sent'),
  },
  'refunds confirm': {
    usage: '--id <refund> --by <name> [--tracking <number>] [--note text]',
    flags: ['id', 'tracking', 'by', 'note'],
    run: (context: Context) => settle(context, 'confirmed'),
  },
  'refunds fail': {
    usage: '--id <refund> --by <name> --note <why>   (the money returns to the wallet)',
    flags: ['id', 'by', 'note'],
    run: (context: Context) => settle(context, 'failed'),
  },
};

async function listGateways({ db, config }: Context): Promise<Result> {
  const address = { origin: config.publicUrl };
  const gateways = new Map(openGateways(config, address, () => config.publicUrl).map((g) => [g.name, g]));
  const now = systemClock.now();
  const offered = await listOfferedGateways({ db, clock: systemClock, gateways });
  const health = await getGatewayHealth(db, now);
  const names = [...new Set([...offered.map(({ name }) => name), ...paymentGateways])];
  const rows = await Promise.all(
    names.map(async (name) => ({
      name,
      configured: gateways.has(name),
      test: gateways.get(name)?.test ?? false,
      switch: await getSetting(db, gatewaySwitches[name]),
      offered: offered.some((gateway) => gateway.name === name),
      health: health(name),
    })),
  );
  const lines = rows.map(
    (row) =>
      `${row.name}\t${row.offered ? 'offered' : 'not offered'}\tswitch ${row.switch}\t${row.configured ? (row.test ? 'test bank' : 'real keys') : 'no keys'}\t${row.health}`,
  );
  return { data: { gateways: rows }, lines };
}

async function switchGateway({ db, positionals }: Context, value: 'on' | 'off' | 'auto'): Promise<Result> {
  const name = gatewayName(positionals[2]);
  await setSetting(db, gatewaySwitches[name], value, systemClock.now());
  return { data: { [name]: value }, lines: [`${name} is ${value}. Payments that were started are still confirmed.`] };
}

async function orderGateways({ db, positionals }: Context): Promise<Result> {
  const order = positionals.slice(2).map(gatewayName);
  if (order.length === 0) throw new UsageError('Say in which order: gateways order nextpay zarinpal idpay.');
  await setSetting(db, gatewayOrder, JSON.stringify(order), systemClock.now());
  return { data: { order }, lines: [order.join(', ')] };
}

async function listReviews({ db }: Context): Promise<Result> {
  const payments = (await listPaymentsToReview(db)).map((payment) => ({
    id: payment.id,
    gateway: payment.gateway,
    amountToman: Number(payment.amount_toman),
    gatewayReference: payment.gateway_reference,
    startedAt: payment.created_at.toISOString(),
    bank: payment.evidence,
  }));
  const lines = payments.map(
    (p) => `${p.id}\t${p.amountToman} toman\t${p.gateway}\t${p.startedAt.slice(0, 16)}\t${JSON.stringify(p.bank)}`,
  );
  return { data: { payments }, lines: lines.length > 0 ? lines : ['No payment waits for the operator.'] };
}

async function review(context: Context, outcome: 'credited' | 'failed'): Promise<Result> {
  const { db, flags } = context;
  const paymentId = idOf(flags);
  const [operator, note] = [text(flags, 'by'), text(flags, 'note')];
  const refId = outcome === 'credited' ? text(flags, 'ref') : undefined;
  const verdict = { paymentId, outcome, operator, note, refId, isSameReference: flags['same-ref'] === true };
  const done = await withQueues(context, (queues) => reviewPayment({ db, clock: systemClock, ...queues }, verdict));
  if (done.kind === 'not-waiting') throw new UsageError(`No payment ${paymentId} waits for the operator.`);
  if (done.kind === 'reference-taken')
    throw new UsageError(
      `Reference ${refId} is credited to payment ${done.by}. If the bank holds the money of both, add --same-ref.`,
    );
  return { data: { id: paymentId, outcome }, lines: [`Payment ${paymentId}: ${outcome}.`] };
}

async function listRefunds({ db }: Context): Promise<Result> {
  const refunds = (await listRefundQueue(db)).map((refund) => ({
    id: refund.id,
    payment: refund.payment_id,
    gateway: refund.gateway,
    amountToman: Number(refund.amount_toman),
    state: refund.state,
    why: refund.failure,
    reason: refund.reason,
    requestedAt: refund.created_at.toISOString(),
  }));
  const lines = refunds.map(
    (r) => `${r.id}\t${r.amountToman} toman\t${r.gateway}\t${r.state}\t${r.requestedAt.slice(0, 16)}\t${r.why ?? ''}`,
  );
  return { data: { refunds }, lines: lines.length > 0 ? lines : ['No refund waits for the operator.'] };
}

async function settle(context: Context, outcome: 'sent' | 'confirmed' | 'failed'): Promise<Result> {
  const { db, flags } = context;
  const refundId = idOf(flags);
  const operator = text(flags, 'by');
  const tracking = outcome === 'sent' ? text(flags, 'tracking') : optional(flags.tracking);
  const note = outcome === 'failed' ? text(flags, 'note') : optional(flags.note);
  const done = await withQueues(context, (queues) =>
    settleRefundByHand({ db, clock: systemClock, ...queues }, { refundId, outcome, operator, tracking, note }),
  );
  if (!done) throw new UsageError(`No refund ${refundId} waits for the operator.`);
  return { data: { id: refundId, outcome }, lines: [`Refund ${refundId}: ${outcome}.`] };
}

/** What follows a user's word: jobs, and news for open panels. */
async function withQueues<T>(
  { db, databaseUrl, vault, config }: Context,
  work: (queues: { bus: Bus; jobs: Worker; notifier: Notifier<PaymentNotifications> }) => Promise<T>,
): Promise<T> {
  const log = createLog('warn');
  const bus = await openBus(databaseUrl, db, log);
  const jobs = await openJobs(databaseUrl, { log, vault }, { supervise: false });
  try {
    const publicUrl = () => config.publicUrl;
    return await work({ bus, jobs, notifier: createNotifier({ clock: systemClock, bus, jobs, vault, publicUrl }) });
  } finally {
    await jobs.stop();
    await bus.close();
  }
}

function idOf(flags: Context['flags']): string {
  const id = text(flags, 'id');
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new UsageError('--id takes the whole number.');
  return id;
}

function gatewayName(value: string | undefined): GatewayName {
  const name = paymentGateways.find((known) => known === value);
  if (!name) throw new UsageError(`Gateways: ${paymentGateways.join(', ')}.`);
  return name;
}

function optional(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

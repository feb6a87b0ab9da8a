import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { openExchangeRate } from '../app/exchange-rate.ts';
import { openGateways } from '../app/open-gateways.ts';
import { withQueues } from '../app/open-queues.ts';
import { releasePayments } from '../app/release-payments.ts';
import { lockBalance } from '../modules/billing/lock-balance.ts';
import { resendCompleteStates } from '../modules/fleet/node-state.ts';
import { findPayment } from '../modules/payments/find-payer.ts';
import { findHold, holdPayments } from '../modules/payments/hold.ts';
import { listGateways } from '../modules/payments/list-gateways.ts';
import { orderGateways } from '../modules/payments/order-gateways.ts';
import { requestRefund } from '../modules/payments/request-refund.ts';
import { listPaymentsToReview, reviewPayment } from '../modules/payments/review-payment.ts';
import type { GatewaySwitch } from '../modules/payments/settings.ts';
import { listRefundQueue, settleRefundByHand } from '../modules/payments/settle-refund.ts';
import { switchGateway } from '../modules/payments/switch-gateway.ts';
import type { Config } from '../platform/config.ts';
import { actor, type Commands, type Context, idOf, type Result, text, UsageError, wholeNumber } from './context.ts';

/** Gateways on and off and in order; refunds that wait for the operator. */
export const paymentCommands: Commands = {
  'gateways list': { usage: '', run: listCommand },
  'gateways on': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchCommand(context, 'on') },
  'gateways off': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchCommand(context, 'off') },
  'gateways auto': { usage: '<zarinpal|idpay|nextpay>', run: (context: Context) => switchCommand(context, 'auto') },
  'gateways order': { usage: '<first> [second] [third]', run: orderCommand },
  'payments hold': {
    usage: '--from <time of which the books are> --by <name> --reason <why>',
    flags: ['from', 'by', 'reason'],
    run: hold,
  },
  'payments release': {
    usage: '--by <name> --reason <why> [--without gateway,gateway]   (whose panel shows nothing of the lost time)',
    flags: ['by', 'reason', 'without'],
    run: release,
  },
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
  'refunds request': {
    usage: '--payment <payment> --by <name> --note <why> [--toman <number>]   (for its user, within the same rules)',
    flags: ['payment', 'by', 'note', 'toman'],
    run: request,
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

/** After a restore by other means than ours, which holds payments itself. */
async function hold(context: Context): Promise<Result> {
  const { flags } = context;
  const from = new Date(text(flags, 'from'));
  if (Number.isNaN(from.getTime())) throw new UsageError('--from takes a time such as 2026-11-20T03:00:00Z.');
  const order = { actor, from, operator: text(flags, 'by'), reason: text(flags, 'reason') };
  const held = await holdPayments(context, order);
  await resendCompleteStates(context.db);
  const lines = [
    'Nobody can pay, and no refund is sent, until: payments release.',
    'Every node takes its complete state again.',
  ];
  return { data: held, lines };
}

async function release(context: Context): Promise<Result> {
  const { flags } = context;
  const without = optional(flags.without)?.split(',').map(gatewayName) ?? [];
  const gateways = [...openedGateways(context.config).keys()];
  const order = { actor, operator: text(flags, 'by'), reason: text(flags, 'reason'), gateways, without };
  const held = await releasePayments(context, order);
  return { data: held, lines: ['The ledger holds and agrees with the lists of the banks. Users can pay again.'] };
}

function openedGateways(config: Config) {
  return new Map(openGateways(config, { origin: config.publicUrl }, () => config.publicUrl).map((g) => [g.name, g]));
}

async function listCommand({ db, clock, config }: Context): Promise<Result> {
  const gateways = openedGateways(config);
  const rows = await listGateways({ db, clock, gateways });
  const lines = rows.map(
    (row) =>
      `${row.name}\t${row.offered ? 'offered' : 'not offered'}\tswitch ${row.switch}\t${row.configured ? (row.test ? 'test bank' : 'real keys') : 'no keys'}\t${row.health}`,
  );
  const held = await findHold(db);
  return { data: { gateways: rows, held }, lines: held ? [...lines, 'Payments are held: payments release.'] : lines };
}

async function switchCommand(context: Context, value: GatewaySwitch): Promise<Result> {
  const name = gatewayName(context.positionals[2]);
  await switchGateway(context, { actor, name, value });
  return { data: { [name]: value }, lines: [`${name} is ${value}. Payments that were started are still confirmed.`] };
}

async function orderCommand(context: Context): Promise<Result> {
  const order = context.positionals.slice(2).map(gatewayName);
  if (order.length === 0) throw new UsageError('Say in which order: gateways order nextpay zarinpal idpay.');
  await orderGateways(context, { actor, order });
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
  const { flags } = context;
  const paymentId = idOf(flags);
  const [operator, note] = [text(flags, 'by'), text(flags, 'note')];
  const refId = outcome === 'credited' ? text(flags, 'ref') : undefined;
  const verdict = { actor, paymentId, outcome, operator, note, refId, isSameReference: flags['same-ref'] === true };
  const done = await withQueues(context, (queues) => reviewPayment({ ...context, ...queues }, verdict));
  if (done.kind === 'not-waiting') throw new UsageError(`No payment ${paymentId} waits for the operator.`);
  if (done.kind === 'account-deleted')
    throw new UsageError(
      `The account of payment ${paymentId} was deleted: nobody could spend the money. Send it back in the gateway's panel, then: payments fail.`,
    );
  if (done.kind === 'reference-taken')
    throw new UsageError(
      `Reference ${refId} is credited to payment ${done.by}. If the bank holds the money of both, add --same-ref.`,
    );
  return { data: { id: paymentId, outcome }, lines: [`Payment ${paymentId}: ${outcome}.`] };
}

async function request(context: Context): Promise<Result> {
  const { flags, db, audit } = context;
  const paymentId = idOf(flags, 'payment');
  const payment = await findPayment(db, paymentId);
  if (!payment) throw new UsageError(`There is no payment ${paymentId}.`);
  const amountToman = flags.toman === undefined ? undefined : wholeNumber(flags, 'toman', 1, 1_000_000_000);
  const onBehalf = { actor, audit, operator: text(flags, 'by') };
  const order = { userId: payment.user_id, paymentId, amountToman, reason: text(flags, 'note'), onBehalf };
  const exchangeRate = openExchangeRate(context.config, context.clock);
  await withQueues(context, async (queues) => {
    const deps = { ...context, ...queues, exchangeRate, gateways: new Map() };
    await requestRefund({ ...deps, lockBalance: (tx, userId) => lockBalance(deps, tx, userId) }, order);
  });
  return { data: { payment: paymentId }, lines: [`A refund of payment ${paymentId} is requested.`] };
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
  const { flags } = context;
  const refundId = idOf(flags);
  const operator = text(flags, 'by');
  const tracking = outcome === 'sent' ? text(flags, 'tracking') : optional(flags.tracking);
  const note = outcome === 'failed' ? text(flags, 'note') : optional(flags.note);
  const done = await withQueues(context, (queues) =>
    settleRefundByHand({ ...context, ...queues }, { actor, refundId, outcome, operator, tracking, note }),
  );
  if (!done) throw new UsageError(`No refund ${refundId} waits for the operator.`);
  return { data: { id: refundId, outcome }, lines: [`Refund ${refundId}: ${outcome}.`] };
}

function gatewayName(value: string | undefined): GatewayName {
  const name = paymentGateways.find((known) => known === value);
  if (!name) throw new UsageError(`Gateways: ${paymentGateways.join(', ')}.`);
  return name;
}

function optional(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

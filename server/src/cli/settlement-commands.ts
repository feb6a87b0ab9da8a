import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { importSettlementFile } from '../modules/settlements/import-file.ts';
import { listPayouts, listSettlementDifferences } from '../modules/settlements/list-settlements.ts';
import { resolveDifference } from '../modules/settlements/resolve-difference.ts';
import { actor, type Commands, type Context, day, idOf, type Result, text, UsageError, withHint } from './context.ts';

/** Settlement files of the gateways, and what in them differs from the books. */
export const settlementCommands: Commands = {
  'settlements import': {
    usage:
      '--gateway <zarinpal|idpay|nextpay> --file payouts.csv [--from day] [--to day] [--unit rial|toman] [--force]',
    flags: ['gateway', 'file', 'from', 'to', 'unit'],
    switches: ['force'],
    run: importCommand,
  },
  'settlements payouts': { usage: '', run: payouts },
  'settlements differences': {
    usage: `list [--gateway <name>] [--all]
  settlements differences resolve --id <difference> --by <name> --reason <why> [--book bank|difference]`,
    flags: ['gateway', 'id', 'by', 'reason', 'book'],
    switches: ['all'],
    run: differences,
  },
};

async function importCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const gateway = gatewayOf(flags);
  const file = text(flags, 'file');
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--file ${file} cannot be read: ${error.code}.`);
  });
  const given = (name: 'from' | 'to') => (flags[name] === undefined ? undefined : day(flags, name, '2026-11-20'));
  const unit = choice(flags, 'unit', ['rial', 'toman']);
  const order = {
    actor,
    gateway,
    name: basename(file),
    bytes,
    from: given('from'),
    to: given('to'),
    unit,
    isForced: flags.force === true,
  };
  const hint = '. If the file is right all the same, say --force.';
  const done = await withHint('unconfirmed', hint, () => importSettlementFile(context, order));
  const lines = [
    done.again
      ? `${order.name} was imported before: nothing was done.`
      : `${done.lines} lines from ${done.from} to ${done.to}, ${done.newLines} of them new.`,
    `${done.settled} lines are settled, ${done.opened} differences are new, ${done.solved} are solved: settlements differences list`,
  ];
  return { data: done, lines: done.again ? lines.slice(0, 1) : lines };
}

async function payouts({ db }: Context): Promise<Result> {
  const rows = await listPayouts(db);
  const head = ['gateway', 'payout', 'from', 'to', 'lines', 'settled', 'bank', 'fee', 'open lines', 'open toman'];
  const cells = rows.map((row) => [
    ...[row.gateway, row.payout || '-', row.from_day ?? '', row.to_day ?? '', row.lines, row.settled, row.bank],
    ...[row.fee, row.open_lines, row.open_toman],
  ]);
  return {
    data: { payouts: rows },
    lines: rows.length > 0 ? [head, ...cells].map((row) => row.join('\t')) : ['No settlement file was imported.'],
    table: { head, rows: cells },
  };
}

async function differences(context: Context): Promise<Result> {
  const verb = context.positionals[2];
  if (verb === 'list') return await listDifferences(context);
  if (verb === 'resolve') return await resolve(context);
  throw new UsageError('Say: settlements differences list, or settlements differences resolve.');
}

async function listDifferences(context: Context): Promise<Result> {
  const { flags } = context;
  const gateway = flags.gateway === undefined ? undefined : gatewayOf(flags);
  const found = await listSettlementDifferences(context, { gateway, all: flags.all === true });
  const head = ['id', 'gateway', 'kind', 'toman', 'payment', 'file', 'line', 'reference', 'state', 'what'];
  const rows = found.map(
    ({ id, gateway, kind, amount_toman, payment_id, line, state, solved_by, reason, sentence }) => [
      ...[id, gateway, kind, amount_toman ?? '', payment_id ?? ''],
      ...[line?.file ?? '', line?.number ?? '', line?.reference ?? '', state],
      state === 'solved' ? `Solved by ${solved_by}.` : (reason ?? sentence),
    ],
  );
  return {
    data: { differences: found },
    lines: rows.length > 0 ? [head, ...rows].map((row) => row.join('\t')) : ['Files and books do not differ.'],
    table: { head, rows },
  };
}

async function resolve(context: Context): Promise<Result> {
  const { flags } = context;
  const book = choice(flags, 'book', ['bank', 'difference']);
  const order = { actor, operator: text(flags, 'by'), id: idOf(flags), reason: text(flags, 'reason'), book };
  const sums = await resolveDifference(context, order);
  const booked = `Booked: clearing ${sums.clearing}, bank ${sums.bank}, fee ${sums.fee}, difference ${sums.difference} toman.`;
  return {
    data: { id: order.id, booked: book ? sums : null },
    lines: [`The difference ${order.id} is resolved. ${book ? booked : 'Nothing was booked.'}`],
  };
}

function gatewayOf(flags: Context['flags']): GatewayName {
  const given = text(flags, 'gateway');
  const name = paymentGateways.find((known) => known === given);
  if (!name) throw new UsageError(`--gateway takes one of ${paymentGateways.join(', ')}.`);
  return name;
}

function choice<T extends string>(flags: Context['flags'], name: string, values: readonly T[]): T | undefined {
  if (flags[name] === undefined) return undefined;
  const given = text(flags, name);
  const value = values.find((known) => known === given);
  if (!value) throw new UsageError(`--${name} takes ${values.join(' or ')}.`);
  return value;
}

import { readFile } from 'node:fs/promises';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { cleanName } from '@raha/contract/persian.ts';
import { type BulkRow, findBulk, listBulks, listItems } from '../modules/bulk/list-bulks.ts';
import { orderBulk, type PlainAct, undoBulk } from '../modules/bulk/order-bulk.ts';
import { orderCredit } from '../modules/bulk/order-credit.ts';
import type { Step } from '../modules/bulk/rules.ts';
import { steerBulk } from '../modules/bulk/steer-bulk.ts';
import { actor, type Commands, type Context, idOf, type Result, text, UsageError, wholeNumber } from './context.ts';
import { inWords } from './staff-commands.ts';

const plainActs: readonly PlainAct[] = ['suspend', 'reopen', 'end_sessions'];

/** One act on many users; the worker does it. */
export const bulkCommands: Commands = {
  'bulk order': {
    usage: `--act ${plainActs.join('|')} --ids <account>,<account>… --reason <why>   (or --file ids.txt, one a line)`,
    flags: ['act', 'ids', 'file', 'reason'],
    run: order,
  },
  'bulk credit': {
    usage: '--toman <each> --message <sentence> --ids <account>,… --reason <why>   (or --file ids.txt, one a line)',
    flags: ['toman', 'message', 'ids', 'file', 'reason'],
    run: credit,
  },
  'bulk list': { usage: '', run: list },
  'bulk show': { usage: '--id <bulk>', flags: ['id'], run: show },
  'bulk pause': { usage: '--id <bulk>', flags: ['id'], run: (context: Context) => steer(context, 'pause') },
  'bulk continue': { usage: '--id <bulk>', flags: ['id'], run: (context: Context) => steer(context, 'continue') },
  'bulk stop': { usage: '--id <bulk>', flags: ['id'], run: (context: Context) => steer(context, 'stop') },
  'bulk undo': { usage: '--id <bulk> --reason <why>', flags: ['id', 'reason'], run: undo },
};

async function order(context: Context): Promise<Result> {
  const { flags } = context;
  const given = text(flags, 'act');
  const act = plainActs.find((known) => known === given);
  if (!act) throw new UsageError(`--act takes one of ${plainActs.join(', ')}; for money there is bulk credit.`);
  const ids = await readIds(context);
  const reason = text(flags, 'reason');
  const ordered = await inWords(() => orderBulk(context, { actor, act, whom: { ids }, reason }));
  const minutes = staffLimits.bulk.planSeconds / 60;
  return {
    data: ordered,
    lines: [
      `${ordered.id}: ${act} for ${ordered.people} users begins in ${minutes} minutes. bulk stop takes that back until then.`,
    ],
  };
}

/** The machine needs no second member. */
async function credit(context: Context): Promise<Result> {
  const { flags } = context;
  const message = cleanName(text(flags, 'message'));
  if (message.length > staffLimits.bulk.message)
    throw new UsageError(`--message takes at most ${staffLimits.bulk.message} letters.`);
  const toman = wholeNumber(flags, 'toman', 1, staffLimits.adjustMost);
  const ids = await readIds(context);
  const order = { toman: BigInt(toman), message, whom: { ids }, reason: text(flags, 'reason') };
  const ordered = await inWords(() => orderCredit(context, { actor, ...order }));
  const minutes = staffLimits.bulk.planSeconds / 60;
  return {
    data: ordered,
    lines: [
      `${ordered.id}: ${toman} toman for each of ${ordered.people} users, ${ordered.sumToman} toman in all, begins in ${minutes} minutes.`,
      'bulk stop takes that back until then. Afterwards it only stops: what was paid is paid.',
    ],
  };
}

async function readIds({ flags }: Context): Promise<string[]> {
  const file = flags.file === undefined ? undefined : text(flags, 'file');
  const content = file === undefined ? text(flags, 'ids') : await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) throw new UsageError(`--file ${file} cannot be read.`);
  const ids = content.split(/[\s,]+/).filter((word) => word !== '');
  if (ids.length === 0 || ids.length > staffLimits.bulk.most)
    throw new UsageError(`One bulk has 1 to ${staffLimits.bulk.most} users.`);
  return ids.map((id) => idOf({ ids: id }, 'ids'));
}

async function list({ db }: Context): Promise<Result> {
  const rows = await listBulks(db, undefined, staffLimits.bulk.listed);
  const head = ['id', 'act', 'state', 'people', 'done', 'failed', 'ordered', 'by'];
  const cells = rows.map((row) => [
    ...[row.id, row.act, row.state, row.people, row.done, row.failed, row.ordered_at.toISOString()],
    `${row.actor_kind} ${row.actor}`,
  ]);
  return {
    data: { bulks: rows },
    lines: rows.length > 0 ? [head, ...cells].map((row) => row.join('\t')) : ['There was no bulk.'],
    table: { head, rows: cells },
  };
}

async function show({ db, flags }: Context): Promise<Result> {
  const bulk = await getBulk({ db, flags });
  const failed = await listItems(db, bulk.id, { state: 'failed', limit: staffLimits.bulk.most });
  const left = bulk.people - bulk.done - bulk.failed;
  const each = Number(bulk.each_toman ?? 0);
  const money = `${each} toman each: ${each * bulk.done} paid, ${each * (bulk.people - bulk.done)} not paid.`;
  return {
    data: { ...bulk, left, failures: failed },
    lines: [
      `${bulk.act}, ${bulk.state}: ${bulk.done} of ${bulk.people} done, ${bulk.failed} failed, ${left} left. ${bulk.reason}`,
      ...(bulk.each_toman === null ? [] : [money]),
      ...failed.map(({ user_id, why }) => `${user_id}\t${why}`),
    ],
  };
}

async function getBulk({ db, flags }: Pick<Context, 'db' | 'flags'>): Promise<BulkRow> {
  const id = idOf(flags);
  const bulk = await findBulk(db, id);
  if (!bulk) throw new UsageError(`There is no bulk ${id}.`);
  return bulk;
}

async function steer(context: Context, step: Step): Promise<Result> {
  const { id } = await getBulk(context);
  await inWords(() => steerBulk(context, { actor, id, step }));
  return await show(context);
}

async function undo(context: Context): Promise<Result> {
  const { id } = await getBulk(context);
  const ordered = await inWords(() => undoBulk(context, { actor, id, reason: text(context.flags, 'reason') }));
  return { data: ordered, lines: [`${ordered.id} takes it back for ${ordered.people} users, from now on.`] };
}

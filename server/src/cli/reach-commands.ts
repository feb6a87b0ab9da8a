import { listCells } from '../modules/reach/list-cells.ts';
import { type ReachTotal, sumWays } from '../modules/reach/sum-ways.ts';
import { addDays, systemClock } from '../platform/clock.ts';
import { type Commands, type Context, type Result, wholeNumber } from './context.ts';

const DAYS = 7;

/** How devices get through on the networks of operators: a line for each network and way, and with `--csv` or `--json` every hour. */
export const reachCommands: Commands = {
  reach: { usage: '[--days 7]', flags: ['days'], run: reach },
};

async function reach({ db, flags }: Context): Promise<Result> {
  const days = flags.days === undefined ? DAYS : wholeNumber(flags, 'days', 1, 400);
  const now = systemClock.now();
  const { cells, operators } = await listCells(db, addDays(now, -days));
  const names = new Map(operators.map(({ id, en }) => [id, en]));
  const nameOf = (network: bigint) => names.get(Number(network)) ?? `AS${network}`;
  const rows = cells.map((cell) => [
    ...[nameOf(cell.network), cell.transport, cell.port === 0 ? 'usual' : cell.port],
    ...[cell.grain, cell.begins.toISOString(), cell.attempts, cell.through, cell.answers, cell.connected],
  ]);
  const totals = sumWays(cells, addDays(now, -1));
  return {
    data: cells.map((cell) => ({ ...cell, operator: nameOf(cell.network) })),
    lines:
      totals.length === 0
        ? [`Nothing of the last ${days} days: an hour is kept from 50 attempts at two servers, or ten answers.`]
        : [
            `Of a hundred attempts, how many got through: in the last 24 hours, and in ${days} days. "answers" is what users said.`,
            ...totals.map((total) => line(nameOf(total.network), total)),
          ],
    table: {
      head: ['network', 'transport', 'port', 'grain', 'begins', 'attempts', 'through', 'answers', 'connected'],
      rows,
    },
  };
}

function line(name: string, { transport, port, day, all }: ReachTotal): string {
  const way = port === 0 ? transport : `${transport} ${port}`;
  const servers = `${share(day.through, day.attempts)}\t${share(all.through, all.attempts)} of ${all.attempts}`;
  const answers = `answers ${share(day.connected, day.answers)}\t${share(all.connected, all.answers)} of ${all.answers}`;
  return [name.padEnd(12), way.padEnd(16), servers, answers].join('\t');
}

function share(part: bigint, whole: bigint): string {
  return whole === 0n ? '-' : `${(100n * part) / whole} %`;
}

import { clearOperatorRate } from '../modules/currency/clear-operator-rate.ts';
import { listRates } from '../modules/currency/read-exchange-rate.ts';
import { setOperatorRate } from '../modules/currency/set-operator-rate.ts';
import { actor, type Commands, type Context, type Result, wholeNumber, withHint } from './context.ts';

/** The dollar rate: the operator's own word, and the history. */
export const rateCommands: Commands = {
  'rate set': {
    usage: '--toman 95000 [--hours 24] [--force]',
    flags: ['toman', 'hours'],
    switches: ['force'],
    run: setRate,
  },
  'rate clear': { usage: '', run: clearRate },
  'rate history': { usage: '[--count 20]', flags: ['count'], run: showRates },
};

async function setRate(context: Context): Promise<Result> {
  const { flags, config } = context;
  const tomanPerUsd = wholeNumber(flags, 'toman', 1, 100_000_000);
  const hours = flags.hours === undefined ? undefined : wholeNumber(flags, 'hours', 1, 8760);
  const isForced = flags.force === true;
  const order = { actor, tomanPerUsd, hours, isForced, configuredTomanPerUsd: config.usdRateToman };
  const hint = '. If that is meant, say --force.';
  const { validUntil } = await withHint('unconfirmed', hint, () => setOperatorRate(context, order));
  const until = validUntil ? `until ${validUntil.toISOString()}` : 'until it is cleared';
  return { data: { tomanPerUsd, validUntil }, lines: [`One US dollar is ${tomanPerUsd} toman, ${until}.`] };
}

async function clearRate(context: Context): Promise<Result> {
  const cleared = await clearOperatorRate(context, { actor });
  return {
    data: { cleared },
    lines: [cleared ? 'The rate you had set is gone; the other sources count again.' : 'No rate was set.'],
  };
}

async function showRates({ db, flags }: Context): Promise<Result> {
  const rates = await listRates(db, flags.count === undefined ? 20 : wholeNumber(flags, 'count', 1, 10_000));
  const rows = rates.map((rate) => [
    rate.taken_at.toISOString(),
    rate.kind,
    rate.state,
    rate.toman_per_usd === null ? '' : Number(rate.toman_per_usd),
    rate.sources.map((source) => `${source.source} ${source.tomanPerUsd ?? '-'} ${source.outcome}`).join('; '),
  ]);
  return {
    data: { rates },
    lines: rows.length > 0 ? rows.map((row) => row.join('\t')) : ['No rate has been set or read yet.'],
    table: { head: ['taken_at', 'kind', 'state', 'toman_per_usd', 'sources'], rows },
  };
}

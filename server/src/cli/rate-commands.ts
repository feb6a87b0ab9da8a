import { limits } from '@raha/contract/limits.ts';
import { findLastRate, listRates } from '../modules/currency/read-exchange-rate.ts';
import { clearOperatorRate, setOperatorRate } from '../modules/currency/refresh-exchange-rate.ts';
import { decideOperatorRate } from '../modules/currency/rules.ts';
import { maxExchangeRate, minExchangeRate } from '../modules/currency/settings.ts';
import { systemClock } from '../platform/clock.ts';
import { getSetting } from '../platform/settings.ts';
import { type Commands, type Context, type Result, UsageError, wholeNumber } from './context.ts';

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
  const { db, flags } = context;
  const tomanPerUsd = wholeNumber(flags, 'toman', 1, 100_000_000);
  const hours = flags.hours === undefined ? undefined : wholeNumber(flags, 'hours', 1, 8760);
  await requirePlausible(context, tomanPerUsd);
  const { validUntil } = await setOperatorRate({ db, clock: systemClock }, { tomanPerUsd, hours });
  const until = validUntil ? `until ${validUntil.toISOString()}` : 'until it is cleared';
  return { data: { tomanPerUsd, validUntil }, lines: [`One US dollar is ${tomanPerUsd} toman, ${until}.`] };
}

/** Rial for toman, or a digit lost, would price everything from the next lease on. */
async function requirePlausible({ db, config, flags }: Context, tomanPerUsd: number): Promise<void> {
  const band = { minToman: await getSetting(db, minExchangeRate), maxToman: await getSetting(db, maxExchangeRate) };
  const lastKnown = (await findLastRate(db)) ?? config.usdRateToman;
  const decided = decideOperatorRate(tomanPerUsd, band, lastKnown);
  if (decided === 'out_of_band') {
    const { minToman, maxToman } = band;
    const settings = 'the settings rate.minToman and rate.maxToman';
    throw new UsageError(`One US dollar is between ${minToman} and ${maxToman} toman here (${settings}).`);
  }
  if (decided === 'jump' && flags.force !== true) {
    const away = `more than ${limits.exchangeRate.jumpPercent} % away from the last known rate, ${lastKnown} toman`;
    throw new UsageError(`${tomanPerUsd} toman is ${away}. If that is meant, say --force.`);
  }
}

async function clearRate({ db }: Context): Promise<Result> {
  const cleared = await clearOperatorRate({ db, clock: systemClock });
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

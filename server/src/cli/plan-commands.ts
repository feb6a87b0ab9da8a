import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { listPlans } from '../modules/subscriptions/plans.ts';
import { type PlanChange, setPlan } from '../modules/subscriptions/set-plan.ts';
import { actor, type Commands, type Context, type Result, text, UsageError, wholeNumber, withHint } from './context.ts';

/** The plans that are sold. What is bought already keeps what was agreed. */
export const planCommands: Commands = {
  'plans list': { usage: '', run: listCommand },
  'plans set': {
    usage:
      '--id basic [--price toman] [--original toman | none] [--days 30] [--gb 50 | unlimited] [--devices 2] [--name-fa …] [--name-en …] [--position 1] [--popular yes | no] [--sold yes | no]',
    flags: ['id', 'price', 'original', 'days', 'gb', 'devices', 'name-fa', 'name-en', 'position', 'popular', 'sold'],
    run: setCommand,
  },
};

async function listCommand({ db }: Context): Promise<Result> {
  const plans = await listPlans(db);
  const head = ['plan', 'name', 'price_toman', 'original_toman', 'days', 'traffic', 'devices', 'popular', 'sold'];
  const rows = plans.map((plan) => [
    plan.id,
    plan.nameFa,
    plan.priceToman,
    plan.originalPriceToman ?? '',
    plan.durationDays,
    plan.trafficLimitBytes === undefined ? 'unlimited' : `${plan.trafficLimitBytes / BigInt(BYTES_PER_GB)} GB`,
    plan.maxDevices,
    plan.isPopular ? 'yes' : 'no',
    plan.isOn ? 'yes' : 'no',
  ]);
  return { data: { plans }, lines: [head, ...rows].map((row) => row.join('\t')), table: { head, rows } };
}

async function setCommand(context: Context): Promise<Result> {
  const id = text(context.flags, 'id');
  const order = { actor, id, change: changeOf(context.flags) };
  const plan = await withHint('conflict', '; --original none takes it away.', () => setPlan(context, order));
  return { data: { plan }, lines: [`Plan "${id}" is stored. See it with: plans list`] };
}

function changeOf(flags: Context['flags']): PlanChange {
  const change: { -readonly [K in keyof PlanChange]: PlanChange[K] } = {};
  const given = (name: string) => flags[name] !== undefined;
  if (given('price')) change.priceToman = BigInt(wholeNumber(flags, 'price', 0, 1_000_000_000));
  if (given('original')) {
    change.originalPriceToman =
      flags.original === 'none' ? undefined : BigInt(wholeNumber(flags, 'original', 1, 1_000_000_000));
  }
  if (given('days')) change.durationDays = wholeNumber(flags, 'days', 1, 3660);
  if (given('gb')) {
    const isUnlimited = flags.gb === 'unlimited';
    change.trafficLimitBytes = isUnlimited
      ? undefined
      : BigInt(wholeNumber(flags, 'gb', 1, 1_000_000)) * BigInt(BYTES_PER_GB);
  }
  if (given('devices')) change.maxDevices = wholeNumber(flags, 'devices', 1, 1000);
  if (given('name-fa')) change.nameFa = text(flags, 'name-fa');
  if (given('name-en')) change.nameEn = text(flags, 'name-en');
  if (given('position')) change.position = wholeNumber(flags, 'position', 0, 1000);
  if (given('popular')) change.isPopular = yes(flags, 'popular');
  if (given('sold')) change.isOn = yes(flags, 'sold');
  return change;
}

function yes(flags: Context['flags'], flag: string): boolean {
  const value = text(flags, flag);
  if (value !== 'yes' && value !== 'no') throw new UsageError(`--${flag} takes yes or no.`);
  return value === 'yes';
}

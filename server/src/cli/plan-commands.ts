import { limits } from '@raha/contract/limits.ts';
import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { type Change, listPlans, listVersions, type Terms } from '../modules/subscriptions/plans.ts';
import { cancelVersion, setPlan } from '../modules/subscriptions/set-plan.ts';
import { tehranTime } from '../platform/clock.ts';
import { actor, type Commands, type Context, idOf, type Result, text, UsageError, wholeNumber } from './context.ts';

/** The plans that are sold. What is bought already keeps what was agreed. */
export const planCommands: Commands = {
  'plans list': { usage: '', run: listCommand },
  'plans set': {
    usage:
      '--id basic [--price toman] [--original toman | none] [--days 30] [--gb 50 | unlimited] [--devices 2] [--max-mbit 20 | unlimited] [--name-fa …] [--name-en …] [--position 1] [--popular yes | no] [--sold yes | no] [--from 2026-12-01T09:30] [--reason text]',
    flags: [
      'from',
      'reason',
      'id',
      'price',
      'original',
      'days',
      'gb',
      'devices',
      'max-mbit',
      'name-fa',
      'name-en',
      'position',
      'popular',
      'sold',
    ],
    run: setCommand,
  },
  'plans versions': { usage: '--id basic', flags: ['id'], run: versionsCommand },
  'plans cancel': { usage: '--id version [--reason text]', flags: ['id', 'reason'], run: cancelCommand },
};

async function listCommand({ db, clock }: Context): Promise<Result> {
  const plans = await listPlans(db, clock.now());
  const head = [
    'plan',
    'name',
    'price_toman',
    'original_toman',
    'days',
    'traffic',
    'devices',
    'max_mbit',
    'popular',
    'sold',
  ];
  const rows = plans.map((plan) => [
    plan.id,
    plan.nameFa,
    ...termsOf(plan),
    plan.isPopular ? 'yes' : 'no',
    plan.isOn ? 'yes' : 'no',
  ]);
  return { data: { plans }, lines: [head, ...rows].map((row) => row.join('\t')), table: { head, rows } };
}

function termsOf(terms: Terms): (string | number | bigint)[] {
  const { trafficLimitBytes } = terms;
  return [
    terms.priceToman,
    terms.originalPriceToman ?? '',
    terms.durationDays,
    trafficLimitBytes === undefined ? 'unlimited' : `${trafficLimitBytes / BigInt(BYTES_PER_GB)} GB`,
    terms.maxDevices,
    terms.maxMbit ?? 'unlimited',
  ];
}

async function setCommand(context: Context): Promise<Result> {
  const id = text(context.flags, 'id');
  const from = context.flags.from === undefined ? undefined : momentOf(context.flags);
  const order = { actor, id, change: changeOf(context.flags), from, reason: reasonOf(context.flags) };
  const { plan, from: holds } = await setPlan(context, order);
  const lines = from
    ? [`Plan "${id}" changes on ${tehranTime(holds)} in Tehran. Until then: plans versions, plans cancel`]
    : [`Plan "${id}" is stored. See it with: plans list`];
  return { data: { plan, from: holds.toISOString() }, lines };
}

async function versionsCommand({ db, clock, flags }: Context): Promise<Result> {
  const id = text(flags, 'id');
  const versions = await listVersions(db, id, clock.now());
  const head = [
    'version',
    'from',
    'state',
    'price_toman',
    'original_toman',
    'days',
    'traffic',
    'devices',
    'max_mbit',
    'reason',
  ];
  const rows = versions.map((version) => [
    version.id,
    version.validFrom.getTime() === 0 ? 'the beginning' : tehranTime(version.validFrom),
    version.state,
    ...termsOf(version),
    version.reason ?? '',
  ]);
  return { data: { versions }, lines: [head, ...rows].map((row) => row.join('\t')), table: { head, rows } };
}

async function cancelCommand(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  await cancelVersion(context, { actor, id, reason: reasonOf(context.flags) });
  return { data: { id }, lines: ['The planned version does not begin.'] };
}

function reasonOf(flags: Context['flags']): string | undefined {
  return flags.reason === undefined ? undefined : text(flags, 'reason');
}

/** A day and a time of Tehran. */
function momentOf(flags: Context['flags']): Date {
  const typed = text(flags, 'from').replace('T', ' ');
  const moment = new Date(`${typed.replace(' ', 'T')}:00+03:30`);
  // February has no 30th: Date makes it March.
  if (Number.isNaN(moment.getTime()) || tehranTime(moment) !== typed)
    throw new UsageError('--from takes a day and a time of Tehran, such as 2026-12-01T09:30.');
  return moment;
}

function changeOf(flags: Context['flags']): Change {
  const change: { -readonly [K in keyof Change]: Change[K] } = {};
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
  if (given('max-mbit')) {
    change.maxMbit =
      flags['max-mbit'] === 'unlimited' ? undefined : wholeNumber(flags, 'max-mbit', 1, limits.node.maxMbit);
  }
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

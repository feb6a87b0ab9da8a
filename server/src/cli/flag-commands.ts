import type { FlagValue } from '@raha/contract/admin/flags.ts';
import { staffRoles } from '@raha/contract/admin/roles.ts';
import { changeSetting } from '../app/change-setting.ts';
import { allFlags, listFlags } from '../app/flags.ts';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { findMemberByEmail, listMembers } from '../modules/staff/list-members.ts';
import type { Database } from '../platform/database.ts';
import { readSetting } from '../platform/settings.ts';
import { actor, type Commands, type Context, day, type Result, text, UsageError } from './context.ts';

/** What is on for some users only, until it is on for all or gone. */
export const flagCommands: Commands = {
  'flags list': { usage: '', run: listCommand },
  'flags set': {
    usage: '--name openconnect [--share on | off | 25] [--owner admin | mail] [--until 2027-05-31] [--reason text]',
    flags: ['name', 'share', 'owner', 'until', 'reason'],
    run: setCommand,
  },
};

async function listCommand({ db, clock }: Context): Promise<Result> {
  const flags = await listFlags(db, clock.now());
  const members = new Map((await listMembers(db)).map(({ userId, email }) => [userId, email]));
  const head = ['flag', 'share', 'owner', 'until', 'overdue'];
  const rows = flags.map(({ name, value, isOverdue }) => [
    name,
    shareOf(value),
    members.get(value.owner) ?? value.owner,
    value.until,
    isOverdue ? 'yes' : 'no',
  ]);
  return { data: { flags }, lines: [head, ...rows].map((row) => row.join('\t')), table: { head, rows } };
}

async function setCommand(context: Context): Promise<Result> {
  const { db, flags } = context;
  const name = text(flags, 'name');
  const flag = allFlags().find((known) => known.flag === name);
  if (!flag) {
    const known = allFlags().map((one) => one.flag);
    throw new OperatorMistake('not-found', `There is no flag "${name}". Flags: ${known.join(', ')}.`);
  }
  const value: FlagValue = {
    ...(await readSetting(db, flag)),
    ...(flags.share === undefined ? {} : { percent: percentOf(text(flags, 'share')) }),
    ...(flags.owner === undefined ? {} : { owner: await ownerOf(db, text(flags, 'owner')) }),
    ...(flags.until === undefined ? {} : { until: day(flags, 'until', '2027-05-31') }),
  };
  const reason = flags.reason === undefined ? {} : { reason: text(flags, 'reason') };
  await changeSetting(context, { actor, key: flag.key, text: JSON.stringify(value), ...reason });
  return { data: { name, ...value }, lines: [`${name}: ${shareOf(value)}, until ${value.until}. See: flags list`] };
}

function shareOf({ percent }: FlagValue): string {
  if (percent === 100) return 'on';
  return percent === 0 ? 'off' : `${percent} %`;
}

function percentOf(share: string): number {
  if (share === 'on') return 100;
  if (share === 'off') return 0;
  if (!/^\d{1,3}$/.test(share) || Number(share) > 100)
    throw new UsageError('--share takes on, off, or a whole number of per cent from 0 to 100.');
  return Number(share);
}

async function ownerOf(db: Database, given: string): Promise<string> {
  if (staffRoles.some((role) => role === given)) return given;
  const member = await findMemberByEmail(db, given.toLowerCase());
  if (member === undefined)
    throw new OperatorMistake('invalid', `"${given}" is neither a role (${staffRoles.join(', ')}) nor works here.`);
  return member;
}

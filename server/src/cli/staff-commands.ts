import { type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { sentenceOf } from '@raha/contract/errors.ts';
import { withQueues } from '../app/open-queues.ts';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { addMember } from '../modules/staff/add-member.ts';
import { disableMember } from '../modules/staff/disable-member.ts';
import { findMemberByEmail, listMembers } from '../modules/staff/list-members.ts';
import { resetFactors } from '../modules/staff/reset-factors.ts';
import { Refusal } from '../platform/refusal.ts';
import { actor, type Commands, type Context, type Result, text, UsageError } from './context.ts';

/** Who works in the console. Here the machine itself acts, and may grant every role. */
export const staffCommands: Commands = {
  'staff add': { usage: `--email … --role ${staffRoles.join('|')}`, flags: ['email', 'role'], run: add },
  'staff list': { usage: '', run: list },
  'staff disable': { usage: '--email … [--reason …]', flags: ['email', 'reason'], run: disable },
  'staff reset-factors': { usage: '--email …', flags: ['email'], run: reset },
};

async function add(context: Context): Promise<Result> {
  const email = addressOf(context);
  const role = roleOf(text(context.flags, 'role'));
  await inWords(() => addMember(context, { actor, email, role }));
  return {
    data: { email, role },
    lines: [`${email} is ${role} now. Without a passkey or authenticator app, they have 24 hours to set one up.`],
  };
}

async function list({ db }: Context): Promise<Result> {
  const members = await listMembers(db);
  const head = ['email', 'role', 'state', 'added'];
  const rows = members.map(({ email, role, isActive, addedAt }) => [
    email,
    role,
    isActive ? 'active' : 'disabled',
    addedAt.toISOString(),
  ]);
  return {
    data: members,
    lines: rows.length > 0 ? rows.map((row) => row.join('  ')) : ['Nobody. Use staff add.'],
    table: { head, rows },
  };
}

async function disable(context: Context): Promise<Result> {
  const email = addressOf(context);
  const reason = context.flags.reason === undefined ? undefined : text(context.flags, 'reason');
  const userId = await memberOf(context, email);
  await inWords(() => disableMember(context, { actor, userId, reason }));
  return { data: { email }, lines: [`${email} has no access any more. The account itself stays.`] };
}

async function reset(context: Context): Promise<Result> {
  const email = addressOf(context);
  const userId = await memberOf(context, email);
  const { publicUrl } = context.config;
  await inWords(() =>
    withQueues(context, (queues) => resetFactors({ ...context, ...queues, publicUrl }, { actor, userId })),
  );
  return {
    data: { email },
    lines: [`${email} has no passkey and no authenticator app any more, and sets one up within 24 hours.`],
  };
}

export function addressOf({ flags }: Context): string {
  const email = text(flags, 'email').toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError('--email takes an address.');
  return email;
}

function roleOf(word: string): StaffRole {
  const role = staffRoles.find((known) => known === word);
  if (!role) throw new UsageError(`--role takes one of ${staffRoles.join(', ')}.`);
  return role;
}

export async function memberOf({ db }: Context, email: string): Promise<string> {
  const userId = await findMemberByEmail(db, email);
  if (!userId) throw new OperatorMistake('not-found', `No member of staff has the address ${email}.`);
  return userId;
}

/** A refusal of a use case that the console shares, as a sentence. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new UsageError(sentenceOf(error.code, 'en', error.details));
  }
}

import { reopenAccount } from '../modules/accounts/people.ts';
import { type Commands, type Context, type Result, text, UsageError } from './context.ts';

/** What only the operator can do for an account. */
export const accountCommands: Commands = {
  'accounts reopen': { usage: '--email …', flags: ['email'], run: reopen },
};

async function reopen({ db, flags }: Context): Promise<Result> {
  const email = text(flags, 'email').toLowerCase();
  if (!(await reopenAccount(db, email))) throw new UsageError(`No deactivated account has the address ${email}.`);
  return {
    data: { email, status: 'active' },
    lines: [`${email} can sign in again; the configs wait to be connected.`],
  };
}

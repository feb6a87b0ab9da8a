import { reopenAccount } from '../modules/accounts/users.ts';
import { suspendAccount } from '../modules/profile/close-account.ts';
import { openBus } from '../platform/bus.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { type Commands, type Context, type Result, text, UsageError } from './context.ts';

/** What only the operator can do for an account. */
export const accountCommands: Commands = {
  'accounts suspend': { usage: '--email …', flags: ['email'], run: suspend },
  'accounts reopen': { usage: '--email …', flags: ['email'], run: reopen },
};

async function suspend({ db, databaseUrl, flags }: Context): Promise<Result> {
  const email = text(flags, 'email').toLowerCase();
  const bus = await openBus(databaseUrl, db, createLog('warn'));
  try {
    if (!(await suspendAccount({ db, bus, clock: systemClock }, email)))
      throw new UsageError(`No account that can be suspended has the address ${email}.`);
  } finally {
    await bus.close();
  }
  return {
    data: { email, status: 'suspended' },
    lines: [`${email} is signed out everywhere, and its configs pass nothing. accounts reopen takes that back.`],
  };
}

async function reopen({ db, flags }: Context): Promise<Result> {
  const email = text(flags, 'email').toLowerCase();
  if (!(await reopenAccount(db, email)))
    throw new UsageError(`No deactivated or suspended account has the address ${email}.`);
  return {
    data: { email, status: 'active' },
    lines: [`${email} can sign in again; the configs wait to be connected.`],
  };
}

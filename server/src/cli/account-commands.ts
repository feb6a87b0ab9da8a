import { withQueues } from '../app/open-queues.ts';
import { reopenAccount } from '../modules/accounts/reopen-account.ts';
import { suspendAccount } from '../modules/profile/suspend-account.ts';
import { actor, type Commands, type Context, type Result, text } from './context.ts';

/** What only the operator can do for an account. */
export const accountCommands: Commands = {
  'accounts suspend': { usage: '--email …', flags: ['email'], run: suspend },
  'accounts reopen': { usage: '--email …', flags: ['email'], run: reopen },
};

async function suspend(context: Context): Promise<Result> {
  const email = text(context.flags, 'email').toLowerCase();
  await withQueues(context, ({ bus }) => suspendAccount({ ...context, bus }, { actor, email }));
  return {
    data: { email, status: 'suspended' },
    lines: [`${email} is signed out everywhere, and its configs pass nothing. accounts reopen takes that back.`],
  };
}

async function reopen(context: Context): Promise<Result> {
  const email = text(context.flags, 'email').toLowerCase();
  await reopenAccount(context, { actor, email });
  return {
    data: { email, status: 'active' },
    lines: [`${email} can sign in again; the configs wait to be connected.`],
  };
}

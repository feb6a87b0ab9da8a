import { withQueues } from '../app/open-queues.ts';
import { reopenAccount } from '../modules/accounts/reopen-account.ts';
import { removeFactors } from '../modules/factors/remove-factors.ts';
import { suspendAccount } from '../modules/profile/suspend-account.ts';
import { actor, type Commands, type Context, type Result, text } from './context.ts';

/** What only the operator can do for an account. */
export const accountCommands: Commands = {
  'accounts suspend': { usage: '--email …', flags: ['email'], run: suspend },
  'accounts remove-factors': { usage: '--email …', flags: ['email'], run: removeAllFactors },
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

async function removeAllFactors(context: Context): Promise<Result> {
  const email = text(context.flags, 'email').toLowerCase();
  const { publicUrl } = context.config;
  await withQueues(context, (queues) => removeFactors({ ...context, ...queues, publicUrl }, { actor, email }));
  return {
    data: { email },
    lines: [`${email} signs in without a second step again, and was told so by mail.`],
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

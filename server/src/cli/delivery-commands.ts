import { unsentStates } from '@raha/contract/admin/deliveries.ts';
import { deliveryChannels } from '@raha/contract/deliveries.ts';
import { withQueues } from '../app/open-queues.ts';
import { openSms } from '../app/sms.ts';
import { findByEmail } from '../modules/accounts/users.ts';
import { listUnsentDeliveries, listUserDeliveries } from '../modules/notifications/list-deliveries.ts';
import { resendMessage } from '../modules/profile/resend-message.ts';
import { actor, type Commands, type Context, idOf, type Result, text, UsageError } from './context.ts';
import { inWords } from './staff-commands.ts';

/** What became of mails and text messages, as the console shows it. */
export const deliveryCommands: Commands = {
  'deliveries list': {
    usage: `[--email …] [--state ${unsentStates.join('|')}] [--channel ${deliveryChannels.join('|')}] [--before <id>]`,
    flags: ['email', 'state', 'channel', 'before'],
    run: list,
  },
  'deliveries resend': { usage: '--id <delivery>', flags: ['id'], run: resend },
};

async function list(context: Context): Promise<Result> {
  const { email, before } = context.flags;
  const from = typeof before === 'string' ? idOf(context.flags, 'before') : undefined;
  const page =
    typeof email === 'string'
      ? await listUserDeliveries(context.db, await userOf(context), from)
      : await listUnsentDeliveries(context.db, {
          state: choiceOf(context, 'state', unsentStates),
          channel: choiceOf(context, 'channel', deliveryChannels),
          before: from,
        });
  const head = ['id', 'user', 'kind', 'channel', 'state', 'attempts', 'why', 'last attempt'];
  const rows = page.deliveries.map((line) => [
    ...[line.id, line.user ?? '', line.kind, line.channel, line.state, line.attempts],
    ...[[line.reason ?? '', line.code ?? ''].join(' ').trim(), line.at],
  ]);
  const lines = rows.length === 0 ? ['Nothing.'] : [head, ...rows].map((cells) => cells.join('  '));
  return {
    data: page,
    lines: page.next === null ? lines : [...lines, `Older ones: --before ${page.next}`],
    table: { head, rows },
  };
}

async function resend(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  const { publicUrl } = context.config;
  const sms = openSms(context.config, { origin: publicUrl });
  await inWords(() =>
    withQueues(context, (queues) => resendMessage({ ...context, ...queues, publicUrl, sms }, { actor, id })),
  );
  return { data: { id }, lines: ['It is being sent again.'] };
}

async function userOf({ db, flags }: Context): Promise<string> {
  const email = text(flags, 'email').toLowerCase();
  const user = await findByEmail(db, email);
  if (!user) throw new UsageError(`No account has the address ${email}.`);
  return user.id;
}

function choiceOf<T extends string>({ flags }: Context, name: string, choices: readonly T[]): T | undefined {
  if (flags[name] === undefined) return undefined;
  const found = choices.find((choice) => choice === flags[name]);
  if (found === undefined) throw new UsageError(`--${name} is one of ${choices.join(', ')}.`);
  return found;
}

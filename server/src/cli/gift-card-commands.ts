import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { systemClock } from '../platform/clock.ts';
import { type Commands, type Context, positiveNumber, type Result, UsageError, wholeNumber } from './context.ts';

export const giftCardCommands: Commands = {
  'gift-cards issue': {
    usage: '--count 10 --usd 5 [--note text] [--expires 2027-03-20]',
    flags: ['count', 'usd', 'note', 'expires'],
    run: issueCards,
  },
};

async function issueCards({ db, vault, flags }: Context): Promise<Result> {
  const count = wholeNumber(flags, 'count', 1, 10_000);
  const usdCents = Math.round(positiveNumber(flags, 'usd', 10_000) * 100);
  const expires = typeof flags.expires === 'string' ? new Date(`${flags.expires}T23:59:59+03:30`) : undefined;
  if (expires && Number.isNaN(expires.getTime())) throw new UsageError('--expires takes a day such as 2027-03-20.');
  const batch = await issueGiftCards(
    { db, vault, clock: systemClock },
    {
      count,
      usdCents,
      ...(typeof flags.note === 'string' ? { note: flags.note } : {}),
      ...(expires ? { expiresAt: expires } : {}),
    },
  );
  return {
    data: batch,
    lines: [
      `Batch ${batch.batchId}: ${count} cards of ${usdCents / 100} US dollars. These codes are shown only now.`,
      ...batch.codes,
    ],
  };
}

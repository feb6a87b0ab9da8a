import { open, readFile } from 'node:fs/promises';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import {
  expireCards,
  exportBatch,
  hasCards,
  listBatches,
  listCardsOfBatch,
  voidCards,
} from '../modules/gift-cards/manage-cards.ts';
import { systemClock } from '../platform/clock.ts';
import { openFile, sealFile, WrongPassphrase } from '../platform/passphrase.ts';
import { isId } from '../platform/random.ts';
import { type Commands, type Context, day, type Result, text, UsageError, wholeNumber } from './context.ts';
import { readPassphrase } from './read-passphrase.ts';

export const giftCardCommands: Commands = {
  'gift-cards issue': {
    usage: '--count 10 --usd 5 [--note text] [--expires 2027-03-20] [--sealed]',
    flags: ['count', 'usd', 'note', 'expires'],
    switches: ['sealed'],
    run: issueCards,
  },
  'gift-cards list': { usage: '[--batch id]', flags: ['batch'], run: listCards },
  'gift-cards void': { usage: '--batch id | --card id', flags: ['batch', 'card'], run: voidCommand },
  'gift-cards expire': { usage: '--batch id --at 2027-03-20 | now', flags: ['batch', 'at'], run: expireCommand },
  'gift-cards export': {
    usage: '--batch id --out file [--passphrase-file file]',
    flags: ['batch', 'out', 'passphrase-file'],
    run: exportCommand,
  },
  'gift-cards decrypt': {
    usage: '--file file [--passphrase-file file]',
    flags: ['file', 'passphrase-file'],
    offline: true,
    run: decryptCommand,
  },
};

/** Names the content of an export file; authenticated with it. */
const FILE_KIND = 'raha-gift-cards';

async function issueCards({ db, vault, flags }: Context): Promise<Result> {
  const count = wholeNumber(flags, 'count', 1, 10_000);
  const usdCents = centsOf(text(flags, 'usd'));
  const expiresAt = flags.expires === undefined ? undefined : endOf(flags, 'expires');
  if (expiresAt && expiresAt <= systemClock.now()) throw new UsageError('--expires takes a day that is still to come.');
  const keepForExport = flags.sealed === true;
  const batch = await issueGiftCards(
    { db, vault, clock: systemClock },
    {
      count,
      usdCents,
      keepForExport,
      ...(typeof flags.note === 'string' ? { note: flags.note } : {}),
      ...(expiresAt ? { expiresAt } : {}),
    },
  );
  const what = `Batch ${batch.batchId}: ${count} cards of ${usdCents / 100} US dollars.`;
  if (keepForExport) {
    const next = `Their codes wait for one export: gift-cards export --batch ${batch.batchId} --out cards.raha`;
    return { data: { batchId: batch.batchId, count, usdCents }, lines: [what, next] };
  }
  return { data: batch, lines: [`${what} These codes are shown only now.`, ...batch.codes] };
}

async function listCards({ db, flags }: Context): Promise<Result> {
  const now = systemClock.now();
  if (flags.batch !== undefined) {
    const batchId = id(flags, 'batch');
    const cards = await listCardsOfBatch(db, batchId, now);
    if (cards.length === 0) throw new UsageError(`There is no batch ${batchId}.`);
    const rows = cards.map((card) => [
      card.id,
      card.last4,
      card.status,
      card.face_usd_cents,
      card.expires_at?.toISOString() ?? '',
      card.redeemed_at?.toISOString() ?? '',
      card.credited_toman ?? '',
    ]);
    const head = ['card', 'last4', 'status', 'usd_cents', 'expires_at', 'redeemed_at', 'credited_toman'];
    return { data: { cards }, lines: rows.map((row) => row.join('\t')), table: { head, rows } };
  }
  const batches = await listBatches(db, now);
  const rows = batches.map((batch) => [
    batch.id,
    batch.created_at.toISOString(),
    batch.cards,
    batch.active,
    batch.redeemed,
    batch.void,
    batch.expired,
    batch.face_usd_cents,
    batch.credited_toman,
    batch.exported_at?.toISOString() ?? (batch.exportable ? 'waiting' : ''),
    batch.note,
  ]);
  const counts = ['cards', 'active', 'redeemed', 'void', 'expired', 'usd_cents', 'credited_toman'];
  const head = ['batch', 'created_at', ...counts, 'exported', 'note'];
  const lines = [head, ...rows].map((row) => row.join('\t'));
  return {
    data: { batches },
    lines: rows.length > 0 ? lines : ['No cards have been issued yet.'],
    table: { head, rows },
  };
}

async function voidCommand({ db, flags }: Context): Promise<Result> {
  if ((flags.batch === undefined) === (flags.card === undefined)) {
    throw new UsageError('Say which: --batch id, or --card id.');
  }
  const which = flags.card === undefined ? { batchId: id(flags, 'batch') } : { cardId: id(flags, 'card') };
  await requireCards(db, which);
  const count = await voidCards({ db, clock: systemClock }, which);
  return { data: { voided: count }, lines: [`${count} cards are void now. Redeemed cards were left as they are.`] };
}

async function expireCommand({ db, flags }: Context): Promise<Result> {
  const at = flags.at === 'now' ? systemClock.now() : endOf(flags, 'at');
  const batchId = id(flags, 'batch');
  await requireCards(db, { batchId });
  const count = await expireCards({ db }, batchId, at);
  return { data: { changed: count, expiresAt: at }, lines: [`${count} cards end at ${at.toISOString()}.`] };
}

async function exportCommand({ db, vault, flags }: Context): Promise<Result> {
  const batchId = id(flags, 'batch');
  const file = text(flags, 'out');
  const passphrase = await readPassphrase(flags, 'new');
  let count = 0;
  const outcome = await exportBatch({ db, vault, clock: systemClock }, batchId, async (codes) => {
    count = codes.length;
    await writeOnce(file, await sealFile(JSON.stringify({ batchId, codes }), FILE_KIND, passphrase));
  });
  if (outcome === 'unknown-batch') throw new UsageError(`There is no batch ${batchId}.`);
  if (outcome === 'already-exported')
    throw new UsageError('The codes of this batch were given out already; they are gone.');
  return {
    data: { batchId, file, count },
    lines: [`${count} codes are in ${file}, sealed. Here they exist no more: keep the file and its passphrase apart.`],
  };
}

async function decryptCommand({ flags }: Pick<Context, 'flags'>): Promise<Result> {
  const sealed = await readFile(text(flags, 'file'), 'utf8');
  const passphrase = await readPassphrase(flags, 'known');
  try {
    const content = JSON.parse(await openFile(sealed, FILE_KIND, passphrase)) as { batchId: string; codes: string[] };
    const table = { head: ['code'], rows: content.codes.map((code) => [code]) };
    return { data: content, lines: content.codes, table };
  } catch (error) {
    throw error instanceof WrongPassphrase ? new UsageError(error.message) : error;
  }
}

/** On the disk before the database forgets the codes; never over a file that is there. */
async function writeOnce(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function requireCards(db: Context['db'], which: Parameters<typeof hasCards>[1]): Promise<void> {
  if (await hasCards(db, which)) return;
  throw new UsageError('cardId' in which ? `There is no card ${which.cardId}.` : `There is no batch ${which.batchId}.`);
}

/** A card's worth is kept in cents; half of one is a mistake. */
function centsOf(usd: string): number {
  const cents = /^\d{1,5}(\.\d{1,2})?$/.test(usd) ? Math.round(Number(usd) * 100) : 0;
  if (cents < 1 || cents > 1_000_000) throw new UsageError('--usd takes whole cents, from 0.01 to 10000.');
  return cents;
}

/** The end of a day in Tehran. */
function endOf(flags: Context['flags'], name: string): Date {
  return new Date(`${day(flags, name, '2027-03-20')}T23:59:59+03:30`);
}

function id(flags: Context['flags'], name: string): string {
  const value = text(flags, name);
  if (!isId(value)) throw new UsageError(`--${name} takes an id.`);
  return value;
}

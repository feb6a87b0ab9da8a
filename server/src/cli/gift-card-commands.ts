import { open, readFile } from 'node:fs/promises';
import { openStores } from '../app/stores.ts';
import { expireCards } from '../modules/gift-cards/expire-cards.ts';
import { exportBatch } from '../modules/gift-cards/export-batch.ts';
import { issueBatch } from '../modules/gift-cards/issue-batch.ts';
import { listBatches, listCardsOfBatch } from '../modules/gift-cards/list-cards.ts';
import { describeStores } from '../modules/gift-cards/visit-store.ts';
import { voidCards } from '../modules/gift-cards/void-cards.ts';
import { openFile, sealFile, WrongPassphrase } from '../platform/passphrase.ts';
import { isId } from '../platform/random.ts';
import { actor, type Commands, type Context, day, type Result, text, UsageError, wholeNumber } from './context.ts';
import { readPassphrase } from './read-passphrase.ts';

export const giftCardCommands: Commands = {
  'gift-cards issue': {
    usage: '--count 10 --usd 5 [--note text] [--expires 2027-03-20] [--sealed]',
    flags: ['count', 'usd', 'note', 'expires'],
    switches: ['sealed'],
    run: issueCards,
  },
  'gift-cards list': { usage: '[--batch id]', flags: ['batch'], run: listCards },
  'gift-cards stores': { usage: '', run: listStores },
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

async function issueCards(context: Context): Promise<Result> {
  const { flags } = context;
  const keepForExport = flags.sealed === true;
  const { usdCents, ...batch } = await issueBatch(context, {
    actor,
    count: wholeNumber(flags, 'count', 1, 10_000),
    usd: text(flags, 'usd'),
    expires: flags.expires === undefined ? undefined : endOf(flags, 'expires'),
    note: typeof flags.note === 'string' ? flags.note : undefined,
    keepForExport,
  });
  const count = batch.codes.length;
  const what = `Batch ${batch.batchId}: ${count} cards of ${usdCents / 100} US dollars.`;
  if (keepForExport) {
    const next = `Their codes wait for one export: gift-cards export --batch ${batch.batchId} --out cards.raha`;
    return { data: { batchId: batch.batchId, count, usdCents }, lines: [what, next] };
  }
  return { data: batch, lines: [`${what} These codes are shown only now.`, ...batch.codes] };
}

/** What became of visits to each store, and of its webhooks that changed nothing. */
async function listStores(context: Context): Promise<Result> {
  const stores = openStores(context.config, context.vault, () => context.config.publicUrl);
  const found = await describeStores({ ...context, stores });
  const head = ['store', 'visits', 'paid', 'redeemed', 'without a card', 'refused webhooks'];
  const rows = found.stores.map(({ store, counts, refused }) => [
    ...[store.slug, counts?.visits ?? 0n, counts?.paid ?? 0n, counts?.redeemed ?? 0n, counts?.without_card ?? 0n],
    refused.map(({ reason, count }) => `${reason} ${count}`).join(', '),
  ]);
  const data = found.stores.map(({ store, counts, refused }) => ({
    store: store.slug,
    visits: Number(counts?.visits ?? 0),
    paid: Number(counts?.paid ?? 0),
    redeemed: Number(counts?.redeemed ?? 0),
    withoutCard: Number(counts?.without_card ?? 0),
    refused: refused.map(({ reason, count, last_at }) => ({ reason, count: Number(count), lastAt: last_at })),
  }));
  const lines = rows.length === 0 ? ['No store is on.'] : [head, ...rows].map((cells) => cells.join('  '));
  return { data: { days: found.days, stores: data }, lines, table: { head, rows } };
}

async function listCards({ db, clock, flags }: Context): Promise<Result> {
  const now = clock.now();
  if (flags.batch !== undefined) {
    const batchId = id(flags, 'batch');
    const cards = await listCardsOfBatch(db, batchId, now);
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

async function voidCommand(context: Context): Promise<Result> {
  const { flags } = context;
  if ((flags.batch === undefined) === (flags.card === undefined)) {
    throw new UsageError('Say which: --batch id, or --card id.');
  }
  const which = flags.card === undefined ? { batchId: id(flags, 'batch') } : { cardId: id(flags, 'card') };
  const count = await voidCards(context, { actor, which });
  return { data: { voided: count }, lines: [`${count} cards are void now. Redeemed cards were left as they are.`] };
}

async function expireCommand(context: Context): Promise<Result> {
  const { flags, clock } = context;
  const at = flags.at === 'now' ? clock.now() : endOf(flags, 'at');
  const count = await expireCards(context, { actor, batchId: id(flags, 'batch'), at });
  return { data: { changed: count, expiresAt: at }, lines: [`${count} cards end at ${at.toISOString()}.`] };
}

async function exportCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const batchId = id(flags, 'batch');
  const file = text(flags, 'out');
  const passphrase = await readPassphrase(flags, 'new');
  let count = 0;
  await exportBatch(context, { actor, batchId }, async (codes) => {
    count = codes.length;
    await writeOnce(file, await sealFile(JSON.stringify({ batchId, codes }), FILE_KIND, passphrase));
  });
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

/** The end of a day in Tehran. */
function endOf(flags: Context['flags'], name: string): Date {
  return new Date(`${day(flags, name, '2027-03-20')}T23:59:59+03:30`);
}

function id(flags: Context['flags'], name: string): string {
  const value = text(flags, name);
  if (!isId(value)) throw new UsageError(`--${name} takes an id.`);
  return value;
}

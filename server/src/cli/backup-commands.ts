import { createBackup, restoreBackup, restoreIntoDatabase, verifyBackup } from '../app/backup.ts';
import { noteVerified } from '../app/backup-verified.ts';
import { backUpNightly } from '../app/nightly-backup.ts';
import { systemClock } from '../platform/clock.ts';
import { readConfig } from '../platform/config.ts';
import { WrongPassphrase } from '../platform/passphrase.ts';
import { actor, type Commands, type Context, type Result, text, UsageError, wholeNumber } from './context.ts';
import { openOperatorLog } from './operator-log.ts';
import { readPassphrase } from './read-passphrase.ts';

/** How many verified ones a timer keeps. */
const NIGHTS = 7;

/** Backups, made while the installation runs. */
export const backupCommands: Commands = {
  'backup create': {
    usage: '--out directory [--passphrase-file file]',
    flags: ['out', 'passphrase-file'],
    run: createCommand,
  },
  'backup verify': {
    usage: '--from directory [--passphrase-file file]',
    flags: ['from', 'passphrase-file'],
    run: verifyCommand,
  },
  'backup nightly': {
    usage: '--out directory [--keep 7] --passphrase-file file',
    flags: ['out', 'keep', 'passphrase-file'],
    run: nightlyCommand,
  },
  'backup restore': {
    usage: '--from directory --to data-directory|database [--passphrase-file file]',
    flags: ['from', 'to', 'passphrase-file'],
    offline: true,
    run: restoreCommand,
  },
};

async function createCommand(context: Context): Promise<Result> {
  const out = text(context.flags, 'out');
  const passphrase = await readPassphrase(context.flags, 'new');
  const { directory, manifest } = await createBackup(context, { out, passphrase });
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  return {
    data: { directory, bytes, madeAt: manifest.madeAt },
    lines: [
      `The backup is in ${directory} (${Math.ceil(bytes / 1e6)} MB). Verify it (backup verify), copy it to another machine,`,
      'and keep the passphrase elsewhere: without it the master key in the backup is lost. The database in it is not encrypted.',
    ],
  };
}

async function verifyCommand({ flags, db, clock, config }: Context): Promise<Result> {
  const passphrase = await readPassphrase(flags, 'known');
  const madeAt = await explained(verifyBackup(text(flags, 'from'), passphrase, config.programPath));
  await noteVerified(db, madeAt, clock.now());
  return {
    data: { madeAt },
    lines: [
      `The backup of ${madeAt.toISOString()} starts, its ledger holds, and the master key in it opens what is sealed.`,
    ],
  };
}

async function nightlyCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const keep = flags.keep === undefined ? NIGHTS : wholeNumber(flags, 'keep', 1, 1_000);
  const passphrase = await readPassphrase(flags, 'new');
  const order = { out: text(flags, 'out'), keep, passphrase };
  const { directory, madeAt, deleted } = await explained(backUpNightly(context, order));
  return {
    data: { directory, madeAt, deleted },
    lines: [
      `The backup in ${directory} was made and verified. Copy it to another machine.`,
      ...(deleted.length > 0 ? [`Deleted: ${deleted.join(', ')}.`] : []),
    ],
  };
}

/** `--to database` is the one at DATABASE_URL, whose password would stand on the command line otherwise. */
async function restoreCommand({ flags }: Pick<Context, 'flags'>): Promise<Result> {
  const order = { from: text(flags, 'from'), to: text(flags, 'to') };
  const passphrase = await readPassphrase(flags, 'known');
  const config = readConfig();
  const intoDatabase = order.to === 'database';
  const log = openOperatorLog({ dataDir: intoDatabase ? config.dataDir : order.to, logLevel: 'info' });
  const deps = { clock: systemClock, log, actor };
  const madeAt = await explained(
    intoDatabase
      ? restoreIntoDatabase({ ...deps, config }, { from: order.from, passphrase })
      : restoreBackup(deps, { ...order, passphrase }),
  );
  return {
    data: { madeAt, to: order.to },
    lines: [
      `${intoDatabase ? 'The database' : order.to} is as it was at ${madeAt.toISOString()}. Nobody can pay: import each gateway's list from before`,
      'that time on (settlements import), see and decide what the books lack (settlements differences list), then: payments release.',
    ],
  };
}

async function explained<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw error instanceof WrongPassphrase ? new UsageError(error.message) : error;
  });
}

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { examine } from '../app/doctor/doctor.ts';
import { readMasterKey } from '../app/master-key.ts';
import { systemClock } from '../platform/clock.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/database.ts';
import { findEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { createVault } from '../platform/sealed.ts';
import type { Commands, Result } from './context.ts';

/** Opens the database by itself: that it cannot be opened is one of the things to find. */
export const doctorCommands: Commands = {
  doctor: { usage: '', offline: true, run: doctorCommand },
};

async function doctorCommand(): Promise<Result> {
  const config = readConfig();
  const db = await tryDatabase(config);
  try {
    const examined = await examine({
      config,
      clock: systemClock,
      vault: createVault(readMasterKey(config)),
      db,
      readDisk: async (directory) => {
        const { bavail, blocks, bsize } = await statfs(directory);
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
      },
    });
    const problems = examined.filter(({ level }) => level === 'problem').length;
    const marks = { ok: 'ok      ', warning: 'WARNING ', problem: 'PROBLEM ' } as const;
    return {
      data: { problems, findings: examined },
      lines: [
        ...examined.map(({ level, check, sentence }) => `${marks[level]} ${check}: ${sentence}`),
        problems === 0 ? 'Nothing has to be done.' : `${problems} problems.`,
      ],
      exitCode: problems === 0 ? 0 : 1,
    };
  } finally {
    await db?.destroy();
  }
}

async function tryDatabase(config: Config): Promise<Database | undefined> {
  const url = config.databaseUrl ?? (await findEmbeddedPostgres(join(config.dataDir, 'postgres')));
  if (!url) return undefined;
  const db = openDatabase(url, { max: 2 });
  try {
    await db.connection().execute(async () => undefined);
    return db;
  } catch {
    await db.destroy();
    return undefined;
  }
}

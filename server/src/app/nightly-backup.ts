import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/database.ts';
import { createBackup, verifyBackup } from './backup.ts';
import { noteVerified } from './backup-verified.ts';

/**
 * What a timer runs each night: makes a backup, verifies it, notes that, and only then deletes old ones, so that a night that fails
 * takes none away. Returns when it was made and what was deleted. Throws `BackupFault`; the alert about an old backup follows.
 */
export async function backUpNightly(
  deps: { readonly config: Config; readonly databaseUrl: string; readonly db: Database; readonly clock: Clock },
  { out, keep, passphrase }: { readonly out: string; readonly keep: number; readonly passphrase: string },
): Promise<{ readonly directory: string; readonly madeAt: Date; readonly deleted: readonly string[] }> {
  const { directory } = await createBackup(deps, { out, passphrase });
  const madeAt = await verifyBackup(directory, passphrase, deps.config.programPath);
  await noteVerified(deps.db, madeAt, deps.clock.now());
  const deleted = decideOld(readdirSync(out), keep);
  for (const name of deleted) rmSync(join(out, name), { recursive: true, force: true });
  return { directory, madeAt, deleted };
}

/** Of the names in a directory of backups, those beyond the newest `keep`, and what earlier nights left unfinished. Nothing else is ours. */
export function decideOld(names: readonly string[], keep: number): string[] {
  // The name holds the time, so that their order is that of the nights.
  const backups = names.filter((name) => /^raha-\d{4}-\d\d-\d\dT[\d-]+Z$/.test(name)).sort();
  const unfinished = names.filter((name) => /^raha-\d{4}-\d\d-\d\dT[\d-]+Z\.unfinished$/.test(name));
  return [...backups.slice(0, Math.max(0, backups.length - keep)), ...unfinished];
}

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A backup is a directory with a `manifest.json`, which is written last and names every other file with its hash. */
export interface Manifest {
  readonly version: 1;
  readonly madeAt: string;
  /** Bytes and SHA-256 by path. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Something about a backup that the operator has to know. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

const MANIFEST = 'manifest.json';

/**
 * Makes the backup `to`: `fill` writes into a directory of another name, which gets `more` (texts by file name), the manifest and, once
 * all of it is on the disk, its name.
 */
export async function makeBackup(
  { to, now }: { readonly to: string; readonly now: Date },
  more: Readonly<Record<string, string>>,
  fill: (directory: string) => Promise<void>,
): Promise<Manifest> {
  const unfinished = `${to}.unfinished`;
  if (existsSync(to)) throw new BackupFault(`${to} is there already.`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await fill(unfinished);
  for (const [name, text] of Object.entries(more)) await writeFile(join(unfinished, name), text, { mode: 0o600 });
  const files = Object.fromEntries(
    await Promise.all((await walk(unfinished)).map((path) => describe(unfinished, path))),
  );
  const manifest: Manifest = { version: 1, madeAt: now.toISOString(), files };
  await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest)}\n`, { mode: 0o600 });
  await syncAll(unfinished, [...Object.keys(files), MANIFEST]);
  await rename(unfinished, to);
  return manifest;
}

/** The manifest of a backup each of whose files is as it was written. Throws `BackupFault`. */
export async function checkBackup(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) throw new BackupFault(`${directory} is no backup, or one that was not finished.`);
  const manifest = JSON.parse(text) as Manifest;
  for (const [path, expected] of Object.entries(manifest.files)) {
    const found = existsSync(join(directory, path)) ? (await describe(directory, path))[1] : undefined;
    if (found?.sha256 !== expected.sha256) throw new BackupFault(`${join(directory, path)} is not as it was written.`);
  }
  return manifest;
}

async function describe(directory: string, path: string): Promise<[string, { bytes: number; sha256: string }]> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(join(directory, path)), count.resume());
  return [path, { bytes, sha256: hash.digest('hex') }];
}

export async function walk(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** On the disk before the backup has its name. */
async function syncAll(directory: string, paths: readonly string[]): Promise<void> {
  const sync = async (path: string) => {
    const handle = await open(join(directory, path), 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  // The file system writes its journal once for many.
  for (let at = 0; at < paths.length; at += 100) await Promise.all(paths.slice(at, at + 100).map(sync));
}

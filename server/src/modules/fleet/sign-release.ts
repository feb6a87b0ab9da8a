import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { encodeManifest, type ReleaseManifest, releaseFiles } from '@raha/contract/node/release.ts';
import { version } from '@raha/contract/version.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { hashOf, type Release, readManifest } from './release.ts';

/** Makes an Ed25519 key pair. The private key is a new file in `directory` (PEM, for its owner only). */
export function makeReleaseKey(directory: string): { readonly file: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const file = join(directory, 'release.key');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new OperatorMistake('conflict', `There is a key in ${file} already: nothing was changed.`);
  }
  return { file, publicKey: publicKeyOf(privateKey) };
}

/** Refuses what is not an Ed25519 private key in PEM. */
export function readReleaseKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file, 'utf8'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The sentence below says what is wanted.
  }
  throw new OperatorMistake('invalid', `takes a file with an Ed25519 private key; ${file} is none.`, 'key');
}

export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
}

/**
 * Copies the files into `out`, with a manifest and its signature, in place of the release that was there. Its number is the
 * time in seconds, and always higher than that of the release before. `files`: the path of each, by its name in the release.
 */
export function signRelease(order: {
  readonly key: KeyObject;
  readonly files: Readonly<Record<string, string>>;
  readonly out: string;
  readonly now: Date;
}): Release {
  const { key, files, now } = order;
  const out = resolve(order.out);
  const missing = Object.values(files).find((path) => !existsSync(path));
  if (missing) throw new OperatorMistake('conflict', `${missing} is missing: build the agent first.`);
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(join(dirname(out), '.release-'));
  chmodSync(work, 0o755);
  try {
    for (const [name, path] of Object.entries(files)) linkOrCopy(path, join(work, name), name);
    const manifest: ReleaseManifest = {
      kind: 'raha-agent-release',
      release: Math.max(Math.floor(now.getTime() / 1000), lastRelease(out) + 1),
      version,
      files: Object.fromEntries(Object.keys(files).map((name) => [name, describe(join(work, name))])),
    };
    const text = encodeManifest(manifest);
    writeFileSync(join(work, releaseFiles.manifest), text);
    writeFileSync(join(work, releaseFiles.signature), sign(null, Buffer.from(text), key));
    replaceDirectory(work, out);
    return { directory: out, manifest, publicKey: publicKeyOf(key) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The runtimes have 120 MB and are never written in place, so that a link is enough where the file system allows one. */
function linkOrCopy(from: string, to: string, name: string): void {
  if (name.startsWith('node-linux-')) {
    try {
      linkSync(from, to);
      return;
    } catch {
      // Another file system.
    }
  }
  copyFileSync(from, to);
}

function describe(path: string): ReleaseManifest['files'][string] {
  const bytes = readFileSync(path);
  return { sha256: hashOf(bytes), size: bytes.length };
}

function lastRelease(directory: string): number {
  const path = join(directory, releaseFiles.manifest);
  return (existsSync(path) ? readManifest(readFileSync(path, 'utf8'))?.release : undefined) ?? 0;
}

/** A directory that holds anything but a release is left alone. */
function replaceDirectory(fresh: string, out: string): void {
  const old = `${fresh}.old`;
  if (existsSync(out)) {
    if (readdirSync(out).length > 0 && !existsSync(join(out, releaseFiles.manifest))) {
      throw new OperatorMistake('invalid', `takes a new directory or that of a release; ${out} is neither.`, 'out');
    }
    renameSync(out, old);
  }
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
}

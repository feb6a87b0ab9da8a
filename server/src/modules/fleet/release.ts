import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeManifest, type ReleaseManifest, releaseFiles, releaseManifest } from '@raha/contract/node/release.ts';
import * as z from 'zod/mini';

/** A directory with a signed release of the agent; see `contract/src/node/release.ts`. */
export interface Release {
  readonly directory: string;
  readonly manifest: ReleaseManifest;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
}

/** `problem`: a sentence without a full stop, to which the caller adds what to do. */
export type FoundRelease = { readonly release: Release } | { readonly problem: string };

/** Reads the manifest of a release and checks its signature, and that its files have the sizes of the manifest. */
export function openRelease(directory: string, publicKey: string): FoundRelease {
  const text = readIfPresent(join(directory, releaseFiles.manifest));
  const signature = readIfPresent(join(directory, releaseFiles.signature));
  if (!text || !signature) return { problem: `There is no signed release of the agent in ${directory}` };
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  if (!verify(null, text, key, signature)) {
    return { problem: `The release of the agent in ${directory} is not signed with the key of this installation` };
  }
  const manifest = readManifest(text.toString('utf8'));
  if (!manifest) return { problem: `The manifest in ${directory} is not one of this version of Raha` };
  const wrong = Object.entries(manifest.files).find(([name, { size }]) => sizeOf(join(directory, name)) !== size);
  if (wrong) return { problem: `${wrong[0]} in ${directory} is missing, or does not have the size that was signed` };
  return { release: { directory, manifest, publicKey } };
}

/** The same, and reads every file: use it where the result is shown to the operator. */
export function checkRelease(directory: string, publicKey: string): FoundRelease {
  const found = openRelease(directory, publicKey);
  if ('problem' in found) return found;
  for (const [name, { sha256 }] of Object.entries(found.release.manifest.files)) {
    if (hashOf(readFileSync(join(directory, name))) !== sha256) {
      return { problem: `${name} in ${directory} is not the file that was signed` };
    }
  }
  return found;
}

export function readManifest(text: string): ReleaseManifest | undefined {
  try {
    const manifest = z.parse(releaseManifest, JSON.parse(text));
    return encodeManifest(manifest) === text ? manifest : undefined;
  } catch {
    return undefined;
  }
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function readIfPresent(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

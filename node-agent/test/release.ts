import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeManifest, releaseFiles } from '@raha/contract/node/release.ts';
import { hashOf } from '../src/control/release-check.ts';

/** The operator's key pair, as `raha release key` makes it. */
export interface ReleaseKey {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
}

export function makeReleaseKey(): ReleaseKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };
}

/** The files of a release by name, with its manifest and signature. */
export function makeRelease(
  { privateKey }: ReleaseKey,
  release: number,
  files: Readonly<Record<string, Buffer | string>>,
): Map<string, Buffer> {
  const contents = Object.entries(files).map(([name, content]) => [name, Buffer.from(content)] as const);
  const text = encodeManifest({
    kind: 'raha-agent-release',
    release,
    version: '1.2.3',
    files: Object.fromEntries(
      contents.map(([name, bytes]) => [name, { sha256: hashOf(bytes), size: bytes.length }] as const),
    ),
  });
  return new Map([
    ...contents,
    [releaseFiles.manifest, Buffer.from(text)],
    [releaseFiles.signature, sign(null, Buffer.from(text), privateKey)],
  ]);
}

import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  type ReleaseManifest,
  type ReleaseRefusal,
  releaseFiles,
  releaseManifest,
  releasePublicKey,
} from '@raha/contract/node/release.ts';
import * as z from 'zod/mini';

const SENTENCES: Readonly<Record<ReleaseRefusal, string>> = {
  no_key: 'this machine trusts no release key: run the command that "raha nodes token" prints',
  unsigned: "the offered release is not signed with this machine's key",
  older: 'the offered release is older than the one that was installed last',
  incomplete: 'the offered agent is cut short',
  changed: 'the offered agent is not the one that was signed and asked for',
};

/** An offered release is not installed. The control plane is told the reason. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused';
  readonly reason: ReleaseRefusal;

  constructor(reason: ReleaseRefusal) {
    super(SENTENCES[reason]);
    this.reason = reason;
  }
}

/**
 * The manifest, if it is signed with the machine's key and not older than `oldest`. Refuses `no_key`, `unsigned` and `older`.
 * The signature covers the bytes as they came, so they are checked before anything reads them.
 */
export function checkManifest(
  text: Buffer,
  signature: Buffer,
  trust: { readonly publicKey: string | undefined; readonly oldest: number },
): ReleaseManifest {
  const { publicKey, oldest } = trust;
  if (!publicKey || !z.safeParse(releasePublicKey, publicKey).success) throw new ReleaseRefused('no_key');
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  if (!verify(null, text, key, signature)) throw new ReleaseRefused('unsigned');
  const manifest = z.parse(releaseManifest, JSON.parse(text.toString('utf8')));
  if (manifest.release < oldest) throw new ReleaseRefused('older');
  return manifest;
}

/** Refuses `changed` and `incomplete` unless the agent is that of the manifest, and the one that was asked for. */
export function checkAgent(agent: Buffer, manifest: ReleaseManifest, desired: string): void {
  const signed = manifest.files[releaseFiles.agent];
  if (signed?.sha256 !== desired) throw new ReleaseRefused('changed');
  if (agent.length < signed.size) throw new ReleaseRefused('incomplete');
  if (hashOf(agent) !== signed.sha256) throw new ReleaseRefused('changed');
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

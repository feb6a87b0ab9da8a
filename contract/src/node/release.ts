import * as z from 'zod/mini';

/**
 * A signed release of the node agent: a directory of files, a manifest that lists them, and an Ed25519 signature (RFC 8032)
 * over the manifest's bytes. The private key is the operator's; VPN servers keep the public key of their set-up and install
 * nothing that it does not fit.
 */
export const RELEASE_BASE = '/node/release';
export const releaseFiles = {
  manifest: 'manifest.json',
  signature: 'manifest.sig',
  installer: 'install.sh',
  agent: 'raha-agent.mjs',
} as const;

/** Larger manifests are not read. */
export const MANIFEST_MAX_BYTES = 65_536;
/** Larger agents are not downloaded. */
export const AGENT_MAX_BYTES = 50_000_000;

/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) in base64. */
export const releasePublicKey = z.string().check(z.regex(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/));

export const releaseManifest = z.object({
  /** Tells this manifest from anything else that the key may sign. */
  kind: z.literal('raha-agent-release'),
  /** Rises with every signature (a Unix time in seconds): a machine never goes back to a lower one. */
  release: z.int().check(z.positive()),
  /** Of the product; for people only. */
  version: z.string().check(z.maxLength(40)),
  files: z.record(
    z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,60}$/)),
    z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)), size: z.int().check(z.positive()) }),
  ),
});
export type ReleaseManifest = z.output<typeof releaseManifest>;

/** The only text of a manifest: JSON with sorted keys and without spaces (RFC 8785), which a shell can read, too. */
export function encodeManifest(manifest: ReleaseManifest): string {
  return JSON.stringify(sorted(manifest));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

/**
 * Why an agent does not install the release that its server offers:
 *
 * - `no_key`: its machine was set up before releases were signed
 * - `unsigned`: the manifest or its signature is missing, or the signature does not fit the machine's key
 * - `older`: the release is older than the one that was installed last (a replay)
 * - `incomplete`: the agent is shorter than the manifest says
 * - `changed`: the agent, or its entry in the manifest, is not the one that was asked for
 */
export const releaseRefusals = ['no_key', 'unsigned', 'older', 'incomplete', 'changed'] as const;
export type ReleaseRefusal = (typeof releaseRefusals)[number];

/**
 * Whether an agent may talk to this address: only https, or this very machine, so that nobody on the way can read or change
 * what they say. `url` as the platform's URL parser normalizes it.
 */
export function isSafeControlAddress({ protocol, hostname }: { protocol: string; hostname: string }): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (/^127(\.\d{1,3}){3}$/.test(hostname) || ['localhost', '[::1]'].includes(hostname));
}

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeControlAddress, releaseFiles } from '@raha/contract/node/release.ts';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { checkRelease, type FoundRelease, hashOf, openRelease, type Release } from '../modules/fleet/release.ts';
import { makeReleaseKey, publicKeyOf, readReleaseKey, signRelease } from '../modules/fleet/sign-release.ts';
import type { Config } from '../platform/config.ts';

type ReleaseConfig = Pick<Config, 'dataDir' | 'installation' | 'releasePublicKey'>;

const root = join(import.meta.dirname, '../../..');
const built = join(root, 'node-agent/dist/raha-agent.mjs');

/** What a release consists of: the path of each file in this checkout, by its name in the release. */
export function releaseSources(): Record<string, string> {
  const runtimes = ['x64', 'arm64'].map((machine) => {
    return [`node-linux-${machine}`, join(root, `node_modules/node-linux-${machine}/bin/node`)] as const;
  });
  const installed = ['install.sh', 'run', 'raha-agent.service'];
  return {
    ...Object.fromEntries(installed.map((name) => [name, join(root, 'node-agent/install', name)])),
    [releaseFiles.agent]: built,
    ...Object.fromEntries(runtimes.filter(([, path]) => existsSync(path))),
  };
}

export function releaseDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'release');
}

/**
 * The release that this server offers to its VPN servers: signed with the operator's key, whose private half this server
 * does not hold. Where no real user is served and no such key is set, the server makes a key and signs for itself.
 */
export function findRelease(config: ReleaseConfig): FoundRelease {
  return find(config, openRelease);
}

/** The release, with every file read. Throws a sentence that says what to do if there is none that fits. */
export function requireRelease(config: ReleaseConfig): Release {
  const found = find(config, checkRelease);
  if ('release' in found) return found.release;
  throw new OperatorMistake('conflict', releaseAdvice(config, found.problem));
}

export function releaseAdvice({ releasePublicKey }: ReleaseConfig, problem: string): string {
  if (!releasePublicKey) return `${problem}.`;
  return `${problem}: run "raha release sign" on the machine with the private key, and copy its directory there.`;
}

/** Throws if VPN servers must not be told this address. */
export function requireSafeAddress(publicUrl: string): void {
  if (isSafeControlAddress(new URL(publicUrl))) return;
  throw new OperatorMistake(
    'conflict',
    `PUBLIC_URL is ${publicUrl}, which anybody on the way could read and change: VPN servers need an https address.`,
  );
}

/** SHA-256 in hex of the agent of that release; undefined if there is none. */
export function offeredAgent(config: ReleaseConfig): string | undefined {
  const found = findRelease(config);
  return 'release' in found ? agentOf(found.release) : undefined;
}

export function agentOf({ manifest }: Release): string {
  const agent = manifest.files[releaseFiles.agent];
  if (!agent) throw new Error('a release without an agent');
  return agent.sha256;
}

function find(config: ReleaseConfig, open: typeof openRelease): FoundRelease {
  const directory = releaseDirectory(config);
  if (config.releasePublicKey) return open(directory, config.releasePublicKey);
  if (config.installation === 'production') {
    return {
      problem:
        'RELEASE_PUBLIC_KEY is not set: make a key on another machine with "raha release key", and set the public half here',
    };
  }
  if (!existsSync(built)) return { problem: 'The agent is not built: start the server once with npm start' };
  return signForItself(config, directory, open);
}

function signForItself({ dataDir }: ReleaseConfig, directory: string, open: typeof openRelease): FoundRelease {
  const file = join(dataDir, 'release.key');
  if (!existsSync(file)) makeReleaseKey(dataDir);
  const key = readReleaseKey(file);
  const found = open(directory, publicKeyOf(key));
  const files = releaseSources();
  if ('release' in found && isOf(found.release, files)) return found;
  return { release: signRelease({ key, files, out: directory, now: statSync(built).mtime }) };
}

/** Runtimes are compared by their size: reading them takes longer than the start of a server. */
function isOf({ manifest }: Release, files: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(files);
  if (names.length !== Object.keys(manifest.files).length) return false;
  return names.every((name) => {
    const signed = manifest.files[name];
    const path = files[name] as string;
    if (signed?.size !== statSync(path).size) return false;
    return name.startsWith('node-linux-') || signed.sha256 === hashOf(readFileSync(path));
  });
}

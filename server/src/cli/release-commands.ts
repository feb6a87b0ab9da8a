import { join } from 'node:path';
import { releaseDirectory, releaseSources } from '../app/agent-release.ts';
import { makeReleaseKey, readReleaseKey, signRelease } from '../modules/fleet/sign-release.ts';
import { systemClock } from '../platform/clock.ts';
import { readConfig } from '../platform/config.ts';
import { type Commands, type Context, type Result, text } from './context.ts';

/** Releases of the node agent. They need no database: the private key should be on a machine that is no server. */
export const releaseCommands: Commands = {
  'release key': { usage: '--out directory', flags: ['out'], offline: true, run: keyCommand },
  'release sign': {
    usage: '--key release.key [--out directory]',
    flags: ['key', 'out'],
    offline: true,
    run: signCommand,
  },
};

async function keyCommand({ flags }: Pick<Context, 'flags'>): Promise<Result> {
  const { file, publicKey } = makeReleaseKey(text(flags, 'out'));
  return {
    data: { file, publicKey },
    lines: [
      `The private key is in ${file}: keep it off the server, and keep a copy. This is the server's setting:`,
      `RELEASE_PUBLIC_KEY=${publicKey}`,
    ],
  };
}

async function signCommand({ flags }: Pick<Context, 'flags'>): Promise<Result> {
  const key = readReleaseKey(text(flags, 'key'));
  const out = flags.out === undefined ? releaseDirectory(readConfig()) : text(flags, 'out');
  const { directory, manifest } = signRelease({ key, files: releaseSources(), out, now: systemClock.now() });
  const { release, version, files } = manifest;
  const names = Object.keys(files);
  const machines = ['x64', 'arm64'].filter((machine) => names.includes(`node-linux-${machine}`));
  return {
    data: { directory, release, version, files },
    lines: [
      `Release ${release} of version ${version} for ${machines.join(' and ')} machines is in ${directory}.`,
      `On the server it belongs into ${join('DATA_DIR', 'release')}.`,
    ],
  };
}

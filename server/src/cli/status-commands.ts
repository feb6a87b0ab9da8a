import { readFile } from 'node:fs/promises';
import { OLD_AFTER_SECONDS, openSigned, openStatusKey } from '../app/status/status.ts';
import { secondsBetween, systemClock } from '../platform/clock.ts';
import { type Commands, type Context, type Result, text, UsageError } from './context.ts';

const TIMEOUT_MS = 10_000;

/** The status page: the key by which a mirror knows it, and whether a copy is ours and of now. */
export const statusCommands: Commands = {
  'status key': { usage: '', run: showKey },
  'status verify': { usage: '--from URL|FILE --key …', flags: ['from', 'key'], offline: true, run: verify },
};

async function showKey({ vault }: Context): Promise<Result> {
  const { publicKey } = openStatusKey(vault);
  return { data: { publicKey }, lines: [publicKey] };
}

/** Fails if the copy is not signed with the key, or is old. */
async function verify({ flags }: Pick<Context, 'flags'>): Promise<Result> {
  const from = text(flags, 'from');
  const status = openSigned(await read(from), text(flags, 'key'));
  if (!status) throw new UsageError('This status is not signed with that key.');
  const age = Math.round(secondsBetween(new Date(status.written_at), systemClock.now()));
  const isOld = age > OLD_AFTER_SECONDS;
  return {
    data: { ...status, ageSeconds: age, isOld },
    lines: [
      `Signed, and ${age} seconds old${isOld ? ': too old' : ''}.`,
      ...status.parts.map(({ kind, name, state }) => `${state.padEnd(9)} ${kind}${name ? ` ${name}` : ''}`),
    ],
    exitCode: isOld ? 1 : 0,
  };
}

async function read(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return await readFile(from, 'utf8');
  const response = await fetch(from, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new UsageError(`${from} answers ${response.status}.`);
  return await response.text();
}

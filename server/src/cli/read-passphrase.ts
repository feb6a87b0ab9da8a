import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Context, UsageError } from './context.ts';

const SHORTEST = 12;

/**
 * A passphrase never stands on the command line, where every user of the machine could read it: it comes from a file
 * (`--passphrase-file`), from standard input, or is asked for without an echo.
 */
export async function readPassphrase(flags: Context['flags'], purpose: 'new' | 'known'): Promise<string> {
  const file = flags['passphrase-file'];
  const text = typeof file === 'string' ? await firstLine(file) : await ask();
  if (purpose === 'new' && [...text].length < SHORTEST) {
    throw new UsageError(`The passphrase needs at least ${SHORTEST} characters.`);
  }
  return text;
}

async function firstLine(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split(/\r?\n/)[0] ?? '';
}

async function ask(): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  if (terminal) process.stderr.write('Passphrase: ');
  try {
    for await (const line of lines) return line;
    throw new UsageError('A passphrase is needed: --passphrase-file, or one line on standard input.');
  } finally {
    lines.close();
    if (terminal) process.stderr.write('\n');
  }
}

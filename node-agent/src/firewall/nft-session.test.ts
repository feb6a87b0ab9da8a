import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Shell } from '../platform/shell.ts';
import { openNftSession } from './nft-session.ts';

/** An `nft -i` that answers as nft 1.0.6 does: silence for success, a complaint for what it does not know. */
function toyShell(options: { readonly isInteractive: boolean }) {
  const said: string[] = [];
  const scripts: string[] = [];
  let conversations = 0;
  const shell = {
    run: async (_command: string, _args: readonly string[], { input = '' } = {}) => {
      scripts.push(input);
      return '';
    },
    converse: () => {
      conversations += 1;
      const stdin = new PassThrough();
      const child = Object.assign(new EventEmitter(), { stdin, stdout: new PassThrough(), stderr: new PassThrough() });
      if (!options.isInteractive) {
        setImmediate(() => child.emit('close'));
        return child;
      }
      stdin.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n').filter(Boolean)) {
          if (line.startsWith('said_')) {
            child.stderr.write(`Error: syntax error, unexpected newline, expecting string\n${line}\n      ^\n`);
          } else if (line.includes('wrong')) child.stderr.write(`Error: No such file or directory\n${line}\n   ^^^^\n`);
          else said.push(line);
        }
      });
      return child;
    },
  };
  return { shell: shell as unknown as Shell, said, scripts, conversations: () => conversations };
}

test('changes go through one conversation, each call as one line', async () => {
  const toy = toyShell({ isInteractive: true });
  const session = openNftSession(toy.shell);
  await Promise.all([session.apply(['add a', 'add b']), session.apply(['add c'])]);
  expect(toy.said).toEqual(['add a; add b', 'add c']);
  expect([toy.conversations(), toy.scripts]).toEqual([1, []]);
});

test('a complaint about one line is told to its caller, and the conversation goes on', async () => {
  const session = openNftSession(toyShell({ isInteractive: true }).shell);
  await session.apply(['add a']);
  await expect(session.apply(['add wrong'])).rejects.toThrow('No such file or directory');
  await expect(session.apply(['add b'])).resolves.toBeUndefined();
});

test('an nft without interactive mode gets a process per change; many commands always do', async () => {
  const plain = toyShell({ isInteractive: false });
  const session = openNftSession(plain.shell);
  await session.apply(['add a']);
  await session.apply(['add b']);
  expect([plain.scripts, plain.conversations()]).toEqual([['add a\n', 'add b\n'], 1]);

  const toy = toyShell({ isInteractive: true });
  await openNftSession(toy.shell).apply(Array.from({ length: 300 }, () => 'add a'));
  expect([toy.scripts.length, toy.conversations()]).toEqual([1, 0]);
});

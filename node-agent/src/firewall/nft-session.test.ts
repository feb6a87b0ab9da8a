import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Shell } from '../platform/shell.ts';
import { openNftSession } from './nft-session.ts';

/** An `nft -i` that answers as nft 1.0.6 does: nothing for success, a complaint for unknown commands. */
function toyShell(options: { readonly isInteractive: boolean }) {
  const lines: string[] = [];
  const scripts: string[] = [];
  let processes = 0;
  const shell = {
    run: async (_command: string, _args: readonly string[], { input = '' } = {}) => {
      scripts.push(input);
      return '';
    },
    openPipe: () => {
      processes += 1;
      const stdin = new PassThrough();
      const child = Object.assign(new EventEmitter(), { stdin, stdout: new PassThrough(), stderr: new PassThrough() });
      if (!options.isInteractive) {
        setImmediate(() => child.emit('close'));
        return child;
      }
      stdin.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n').filter(Boolean)) {
          if (line.startsWith('mark_')) {
            child.stderr.write(`Error: syntax error, unexpected newline, expecting string\n${line}\n      ^\n`);
          } else if (line.includes('wrong')) child.stderr.write(`Error: No such file or directory\n${line}\n   ^^^^\n`);
          else lines.push(line);
        }
      });
      return child;
    },
  };
  return { shell: shell as unknown as Shell, lines, scripts, processes: () => processes };
}

test('changes go through one process, each call as one line', async () => {
  const toy = toyShell({ isInteractive: true });
  const session = openNftSession(toy.shell);
  await Promise.all([session.apply(['add a', 'add b']), session.apply(['add c'])]);
  expect(toy.lines).toEqual(['add a; add b', 'add c']);
  expect([toy.processes(), toy.scripts]).toEqual([1, []]);
});

test('an error about one line rejects its call, and the process goes on', async () => {
  const session = openNftSession(toyShell({ isInteractive: true }).shell);
  await session.apply(['add a']);
  await expect(session.apply(['add wrong'])).rejects.toThrow('No such file or directory');
  await expect(session.apply(['add b'])).resolves.toBeUndefined();
});

test('without an interactive mode every change gets a process; many commands always do', async () => {
  const plain = toyShell({ isInteractive: false });
  const session = openNftSession(plain.shell);
  await session.apply(['add a']);
  await session.apply(['add b']);
  expect([plain.scripts, plain.processes()]).toEqual([['add a\n', 'add b\n'], 1]);

  const toy = toyShell({ isInteractive: true });
  await openNftSession(toy.shell).apply(Array.from({ length: 300 }, () => 'add a'));
  expect([toy.scripts.length, toy.processes()]).toEqual([1, 0]);
});

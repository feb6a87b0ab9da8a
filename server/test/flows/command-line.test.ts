import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What the operator's command line says before it needs a database. What commands do is tested with their modules. */
function raha(...args: string[]): { code: number | null; said: string; complained: string } {
  const cli = join(import.meta.dirname, '../../src/cli.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return { code: status, said: stdout, complained: stderr };
}

describe('the command line', () => {
  test('asked for help it explains the command, else those of the noun, else all', () => {
    const one = raha('nodes', 'list', '--help');
    expect(one).toEqual({ code: 0, said: 'Commands of npm run raha --:\n  nodes list\n', complained: '' });
    const noun = raha('gift-cards', '-h').said;
    expect(noun).toContain('gift-cards issue --count');
    expect(noun).not.toContain('nodes');
    const all = raha('--help');
    expect(all.said).toContain('gift-cards issue --count');
    expect(all.said).toContain('nodes list');
    expect(all.code).toBe(0);
  });

  test.each([
    ['nothing', [], /^Commands of npm run raha --:\n {2}gift-cards issue /],
    ['an unknown verb', ['nodes', 'lits'], /^Commands of npm run raha --:\n {2}nodes add /],
    [
      'an unknown flag',
      ['nodes', 'list', '--cuont', '3'],
      /^Unknown option '--cuont'\.\nCommands .*:\n {2}nodes list\n$/,
    ],
    ['a flag without its value', ['nodes', 'show', '--name'], /argument missing\.\nCommands .*:\n {2}nodes show /],
  ])('%s is a mistake: a sentence, the commands that may be meant, and exit code 1', (_what, args, sentence) => {
    const { code, said, complained } = raha(...args);
    expect({ code, said }).toEqual({ code: 1, said: '' });
    expect(complained).toMatch(sentence);
  });
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inherited } from '../inherited.ts';

/** What the operator's command line prints before it needs a database. The commands are tested with their modules. */
function raha(...args: string[]): { code: number | null; output: string; errors: string } {
  const cli = join(import.meta.dirname, '../../src/cli.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env: inherited,
  });
  return { code: status, output: stdout, errors: stderr };
}

describe('the command line', () => {
  test('--help explains the command, or all commands of the noun, or all commands', () => {
    const one = raha('nodes', 'list', '--help');
    expect(one).toEqual({ code: 0, output: 'Commands of npm run raha --:\n  nodes list\n', errors: '' });
    const noun = raha('gift-cards', '-h').output;
    expect(noun).toContain('gift-cards issue --count');
    expect(noun).not.toContain('nodes');
    const all = raha('--help');
    expect(all.output).toContain('gift-cards issue --count');
    expect(all.output).toContain('nodes list');
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
  ])('%s is a mistake: a sentence, the possible commands, and exit code 1', (_what, args, sentence) => {
    const { code, output, errors } = raha(...args);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(sentence);
  });
});

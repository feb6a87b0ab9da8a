import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEnrolmentToken } from './control/enrolment-token.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-main-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Starts the agent without a token, so that it ends before it touches the machine. */
function start(...more: string[]) {
  const args = [join(import.meta.dirname, 'main.ts'), '--state', directory, ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  return { status, output: stdout + stderr };
}

describe('the address of the control plane', () => {
  test.each([
    'http://raha.example',
    'http://203.0.113.7',
    'http://127.0.0.1.raha.example',
    'http://127.0.0.1@raha.example',
    'raha',
  ])('%s is refused in one sentence, before anything is sent or written', (control) => {
    expect(start('--control', control)).toEqual({
      status: 2,
      output: `--control is ${control}: only an https address is safe, or http on this machine itself.\n`,
    });
    expect(existsSync(join(directory, 'identity.json'))).toBe(false);
  });

  test.each(['https://raha.example', 'http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    '%s is accepted',
    (control) => {
      expect(start('--control', control).output).toContain('not enrolled');
    },
  );

  test('--insecure-control accepts any, and says loudly what that means', () => {
    const { output } = start('--control', 'http://203.0.113.7', '--insecure-control');
    expect(output).toMatch(/"event":"insecure_control".*anybody on the way can read and change everything/);
    expect(output).toContain('not enrolled');
  });
});

describe('the enrolment token', () => {
  test('is a file: an argument, as in units of before, is not read', () => {
    expect(start('--control', 'https://raha.example', '--token', 'enrol_x').output).toContain('no enrolment token');
  });

  test('is deleted once it is used', async () => {
    const token = createEnrolmentToken(directory);
    expect(token.read()).toBeUndefined();
    await token.forget();
    writeFileSync(join(directory, 'enrolment-token'), 'enrol_x\n');
    expect(token.read()).toBe('enrol_x');
    await token.forget();
    expect([token.read(), existsSync(join(directory, 'enrolment-token'))]).toEqual([undefined, false]);
  });

  test('a pipe that was given as its file is read and left alone', async () => {
    const token = createEnrolmentToken(directory, '/dev/null');
    expect(token.read()).toBeUndefined();
    await token.forget();
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });
});

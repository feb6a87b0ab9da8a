import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The parts of deploy/install.sh that write files, below a directory: once, and again. docs/installation.md is a run on a machine. */
const deploy = join(import.meta.dirname, '../deploy');
const work = mkdtempSync(join(tmpdir(), 'raha-install-'));
const machine = join(work, 'machine');
const release = join(work, 'raha-9.9.9-linux-x64');
const password = 'smtps://user:a&b$(id)|c@mail.example:465';

beforeAll(() => {
  mkdirSync(join(release, 'runtime'), { recursive: true });
  cpSync(deploy, join(release, 'deploy'), { recursive: true });
  writeFileSync(join(release, 'VERSION'), '9.9.9\n');
  writeFileSync(join(release, 'runtime/node'), '#!/bin/sh\n');
  chmodSync(join(release, 'runtime/node'), 0o755);
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const right = ['--site', 'raha.example', '--operator', 'dana@raha.example'];
function install(args: readonly string[] = right) {
  const command = [join(release, 'deploy/install.sh'), ...args, '--root', machine];
  return spawnSync('sh', command, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', SMTP_URL: password } });
}

/** Path, mode, time and content of everything there is. */
function everything(): string[] {
  const entries = readdirSync(machine, { recursive: true, encoding: 'utf8' }).sort();
  return entries.map((path) => {
    const { mode, mtimeMs } = statSync(join(machine, path));
    const isFile = statSync(join(machine, path)).isFile();
    return `${path} ${mode.toString(8)} ${mtimeMs} ${isFile ? readFileSync(join(machine, path), 'utf8') : ''}`;
  });
}

test('the installer writes its files once, and changes nothing when it runs again', () => {
  const first = install();
  expect(first.stderr).toBe('');
  expect(first.stdout).toContain('written: /etc/caddy/Caddyfile');
  const settings = readFileSync(join(machine, 'etc/raha/raha.env'), 'utf8');
  expect(settings).toContain('\nPUBLIC_URL=https://raha.example\n');
  expect(settings.split('\n')).toContain(`SMTP_URL=${password}`);
  const modeOf = (path: string) => (statSync(join(machine, path)).mode & 0o777).toString(8);
  expect(modeOf('etc/raha/raha.env')).toBe('640');
  expect(modeOf('etc/raha/key')).toBe('700');
  expect(modeOf('etc/raha/key/master.key')).toBe('600');
  expect(readFileSync(join(machine, 'etc/raha/key/master.key'), 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(modeOf('etc/raha/backup/passphrase')).toBe('600');
  expect(readFileSync(join(machine, 'etc/raha/backup/passphrase'), 'utf8')).toMatch(/^[A-Za-z0-9_-]{32}$/);
  expect(modeOf('var/backups/raha')).toBe('700');
  expect(readFileSync(join(machine, 'etc/caddy/Caddyfile'), 'utf8')).toContain(
    '\nraha.example {\n\ttls dana@raha.example\n',
  );

  const before = everything();
  expect(install()).toMatchObject({ status: 0, stdout: 'Nothing had to be changed.\n', stderr: '' });
  expect(everything()).toEqual(before);
});

test('what the operator changed stays, and what is ours is mended', () => {
  const settings = join(machine, 'etc/raha/raha.env');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}ZARINPAL_MERCHANT_ID=mine\n`);
  writeFileSync(join(machine, 'etc/systemd/system/raha-worker.service'), 'broken');
  expect(install().stdout).toBe('written: /etc/systemd/system/raha-worker.service\n');
  expect(readFileSync(settings, 'utf8')).toContain('ZARINPAL_MERCHANT_ID=mine');
});

test.each<[string, readonly string[], RegExp]>([
  ['no site', ['--operator', 'dana@raha.example'], /--site takes the host name/],
  ['a site that is an address of a page', ['--site', 'https://raha.example', ...right.slice(2)], /--site takes/],
  ['no operator', right.slice(0, 2), /--operator takes your e-mail address/],
  [
    'an operator for the shell',
    ['--site', 'a.example', '--operator', 'a$(id)@b.example'],
    /characters that it must not/,
  ],
  ['an unknown option', ['--port', '80'], /There is no option --port/],
])('%s is refused', (_what, args, sentence) => {
  expect(install(args)).toMatchObject({ status: 1, stderr: expect.stringMatching(sentence) });
});

test.each(['install.sh', 'upgrade.sh', 'uninstall.sh', 'files.sh', 'services.sh', 'raha'])(
  '%s is a shell script',
  (name) => {
    expect(spawnSync('sh', ['-n', join(deploy, name)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  },
);

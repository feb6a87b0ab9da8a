import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readUnit } from './sandbox.ts';

/**
 * The units as systemd reads them. The agent's capabilities are also those with which every kernel test runs it
 * (`sandbox.ts`), so that what it needs is not taken away here.
 */
const root = join(import.meta.dirname, '../..');
const agent = join(root, 'node-agent/install/raha-agent.service');
const server = join(root, 'deploy/raha.service');

describe.each([
  ['of the agent', agent, 45],
  ['of the server', server, 25],
  ['of an installed server', join(root, 'deploy/raha-server@.service'), 15],
  ['of an installed worker', join(root, 'deploy/raha-worker.service'), 15],
  ['of the nightly backup', join(root, 'deploy/raha-backup.service'), 15],
  ["of the receiver of PostgreSQL's log", join(root, 'deploy/receiver/raha-receiver.service'), 15],
  ['of the nightly copy of the cluster', join(root, 'deploy/receiver/raha-base.service'), 15],
] as const)('the unit %s', (_whose, path, exposure) => {
  test('is understood by systemd, without a warning', () => {
    const directory = mkdtempSync(join(tmpdir(), 'raha-unit-'));
    // Its program is not installed where the tests run.
    const text = readFileSync(path, 'utf8').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
    writeFileSync(join(directory, basename(path)), text);
    const { status, stdout, stderr } = systemdAnalyze('verify', join(directory, basename(path)));
    rmSync(directory, { recursive: true, force: true });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test(`is not more exposed than ${exposure / 10} of 10`, () => {
    expect(systemdAnalyze('security', '--offline=true', `--threshold=${exposure}`, path).status).toBe(0);
  });

  test('has no secret on its command line', () => {
    expect(readUnit(path).get('ExecStart')).not.toMatch(/token|key|password|secret/i);
  });
});

test('the server has a user of its own and no capability; the agent none that loads modules or reads other memory', () => {
  expect(readUnit(server).get('User')).toBe('raha');
  expect(readUnit(server).get('CapabilityBoundingSet')).toBe('');
  expect(readUnit(server).get('InaccessiblePaths')).toBe('-/srv/raha/.git');
  expect(readUnit(agent).get('CapabilityBoundingSet')).not.toMatch(/CAP_SYS_(MODULE|PTRACE|RAWIO|BOOT|TIME)/);
});

function systemdAnalyze(...args: string[]) {
  return spawnSync('systemd-analyze', ['--no-pager', ...args], { encoding: 'utf8' });
}

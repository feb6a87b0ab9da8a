import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHARON } from '../../src/tunnels/ikev2-daemon.ts';
import { findObstacle, run } from '../processes.ts';

const obstacle = findObstacle(['openvpn', 'openssl']) ?? (existsSync(CHARON) ? undefined : 'charon is not installed');
if (obstacle) console.warn(`SKIPPED: real daemons cannot be tested here: ${obstacle}`);

/** What can happen to a daemon and its interface while no agent runs. */
describe.skipIf(obstacle)('the next agent adopts only what works', { timeout: 180_000 }, () => {
  let directory: string;
  let namespace: string;
  const steps = async (protocol: string) => {
    const script = join(import.meta.dirname, '../daemon-steps.ts');
    const words = [process.execPath, script, protocol, directory, 'rdov'];
    return JSON.parse(await run('ip', ['netns', 'exec', namespace, ...words])) as Record<string, string>;
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rd-'));
    namespace = directory.split('/').at(-1) as string;
    await run('ip', ['netns', 'add', namespace]);
    await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
  });
  afterEach(async () => {
    await run('ip', ['netns', 'del', namespace]);
    rmSync(directory, { recursive: true });
  });

  test('OpenVPN: not when its interface is down or missing; and it is not disturbed when it notifies its devices', async () => {
    expect(await steps('openvpn')).toEqual({
      first: 'started, up',
      again: 'adopted, up',
      'set down': 'started, up',
      deleted: 'started, up',
      stopped: 'signals: none',
    });
  });

  test('IKEv2: not when the daemon hangs or its interface is missing', async () => {
    expect(await steps('ikev2')).toEqual({
      first: 'started, up',
      again: 'adopted, up',
      hangs: 'started, up',
      deleted: 'started, up',
    });
  });
});

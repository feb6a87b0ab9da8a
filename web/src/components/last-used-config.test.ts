import type { Config } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { lastUsedConfig } from './last-used-config.ts';

const config = (id: string, last_connected: string | null, status: Config['status'] = 'inactive') =>
  ({ id, last_connected, status }) as Config;

test('the config that a device came by last; never one that ended or was never used', () => {
  const [old, recent] = [config('old', '2026-11-01T00:00:00.000Z'), config('new', '2026-11-19T00:00:00.000Z')];
  expect(lastUsedConfig([old, recent, config('never', null)])?.id).toBe('new');
  expect(lastUsedConfig([recent, old])?.id).toBe('new');
  expect(lastUsedConfig([old, config('over', '2026-11-20T00:00:00.000Z', 'expired')])?.id).toBe('old');
  expect(lastUsedConfig([config('never', null)])).toBeUndefined();
  expect(lastUsedConfig([])).toBeUndefined();
});

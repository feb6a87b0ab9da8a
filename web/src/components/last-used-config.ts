import type { Config } from '@raha/contract/public/configs.ts';

/** The config that a device connected with last; undefined if none ever did. */
export function lastUsedConfig(configs: readonly Config[]): Config | undefined {
  const used = configs.filter(({ last_connected, status }) => last_connected !== null && status !== 'expired');
  return used.toSorted((a, b) => (b.last_connected ?? '').localeCompare(a.last_connected ?? ''))[0];
}

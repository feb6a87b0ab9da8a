import { createEntryDns } from '../adapters/entry-dns/nsupdate.ts';
import { readHost } from '../modules/fleet/host.ts';
import type { EntryDns } from '../modules/movement/entry-dns.ts';
import { type Config, ConfigError } from '../platform/config.ts';

const SERVER = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i;
const KEY = /^hmac-sha(256|384|512):[a-z0-9._-]{1,255}:[A-Za-z0-9+/]{16,}={0,2}$/i;

/** Undefined if the operator named no name server. Throws if what was named is incomplete or unsound. */
export function openEntryDns({ entryDns }: Pick<Config, 'entryDns'>): EntryDns | undefined {
  const { server, zone, key } = entryDns;
  if (server === undefined && zone === undefined && key === undefined) return undefined;
  const [, host, port = '53'] = SERVER.exec(server ?? '') ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new ConfigError('ENTRY_DNS_SERVER must be a host or host:port of the name server that takes updates.');
  const name = readHost(zone ?? '');
  if (!name?.includes('.'))
    throw new ConfigError('ENTRY_DNS_ZONE must be the zone of the names, such as go.example.org.');
  if (!KEY.test(key ?? ''))
    throw new ConfigError(
      'ENTRY_DNS_KEY must be hmac-sha256:name:secret, as nsupdate takes it (hmac-sha384 and -512, too).',
    );
  return createEntryDns({ host: host.replace(/^\[|\]$/g, ''), port: Number(port), zone: name, key: key ?? '' });
}

import type { Protocol } from '@raha/contract/protocols.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { configsQuery } from '../../../api/queries.ts';
import { issueConfig } from './issue-config.ts';
import type { Issued } from './open-dialog.ts';

interface Order {
  readonly name: string;
  readonly serverId: string;
  readonly protocol: Protocol;
}

/** Creates a config and puts it on top of those known. The choice of the key is WireGuard's; the server makes the others. */
export async function addConfig(
  queries: QueryClient,
  order: Order,
  deviceOnly: boolean,
): Promise<{ config: Config; issued: Issued }> {
  const isWireguard = order.protocol === 'wireguard';
  const made = await issueConfig(isWireguard && deviceOnly, (keys) =>
    api.createConfig({ body: { ...order, ...(isWireguard ? keys : {}) } }),
  );
  queries.setQueryData(configsQuery.queryKey, (known) => [made.config, ...(known ?? [])]);
  void queries.invalidateQueries({ queryKey: configsQuery.queryKey });
  return made;
}

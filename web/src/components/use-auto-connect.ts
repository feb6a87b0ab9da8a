import type { Config } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import { readLocalSettings } from '../api/local-settings.ts';
import { configsQuery, connectionQuery } from '../api/queries.ts';
import { m } from '../text/generated/messages.js';
import { toast } from '../ui/toast.ts';
import { lastUsedConfig } from './last-used-config.ts';

/** If this browser is set to connect automatically, opening the panel unblocks the config that was used last. */
export function useAutoConnect(isServed: boolean): void {
  const queries = useQueryClient();
  const isDone = useRef(false);
  useEffect(() => {
    if (!isServed || isDone.current || !readLocalSettings().autoConnect) return;
    isDone.current = true;
    const connect = async () => {
      const { isConnected } = await queries.fetchQuery(connectionQuery);
      const config = lastUsedConfig(await queries.fetchQuery(configsQuery));
      if (isConnected || !config || !isOff(config)) return;
      const { data } = await api.connect({ body: { configId: config.id } });
      queries.setQueryData(connectionQuery.queryKey, data);
      await queries.invalidateQueries({ queryKey: configsQuery.queryKey });
      toast(m.auto_connected({ name: `\u2068${config.name}\u2069` }));
    };
    // The user has not requested this now, so a failure is shown only on the configs' own screen.
    connect().catch(() => undefined);
  }, [isServed, queries]);
}

/** Not needed if the server accepts it already, and refused without money or without a server. */
function isOff(config: Config): boolean {
  return config.service === 'disconnected';
}

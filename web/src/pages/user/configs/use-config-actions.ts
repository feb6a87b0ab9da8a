import type { Config } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery, connectionQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { filenameOf, saveFile } from './config-file.ts';

export type ConfigAction = 'connect' | 'disconnect' | 'download' | 'copy';

/** What the buttons of a config do at once, without a dialog. `busy` is the id of the config that is working. */
export function useConfigActions() {
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string>();

  const act = useCallback(
    async (action: ConfigAction, config: Config) => {
      setBusy(config.id);
      try {
        if (action === 'connect' || action === 'disconnect') {
          const { data } = await api[action]({ body: { configId: config.id } });
          queries.setQueryData(connectionQuery.queryKey, data);
          await queries.invalidateQueries({ queryKey: ['configs'] });
        } else {
          const file = await queries.fetchQuery(configFileQuery(config.id));
          if (action === 'download') saveFile(filenameOf(config), file);
          else {
            await navigator.clipboard.writeText(file);
            toast(m.copied());
          }
        }
      } catch (error) {
        toast(action === 'copy' && error instanceof DOMException ? m.copy_failed() : errorSentence(error), 'problem');
      } finally {
        setBusy(undefined);
      }
    },
    [queries],
  );
  const start = useCallback((action: ConfigAction, config: Config) => void act(action, config), [act]);
  return { act: start, busy };
}

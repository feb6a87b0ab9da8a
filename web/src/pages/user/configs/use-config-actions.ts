import type { Config } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery, connectionQuery, networkQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { saveFile } from '../shared/save-file.ts';
import { filenameOf, profileFor } from './config-file.ts';
import { findOwnSystem } from './device-system.ts';
import { keepSavedFile } from './known-file.ts';
import { saveProfile } from './save-profile.ts';

export type ConfigAction = 'connect' | 'disconnect' | 'download' | 'copy';

const failures: Partial<Record<ConfigAction, () => string>> = {
  connect: m.connect_failed,
  disconnect: m.disconnect_failed,
};

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
          if (action === 'disconnect') toast(m.switched_off());
          queries.setQueryData(connectionQuery.queryKey, data);
          void queries.invalidateQueries({ queryKey: networkQuery.queryKey });
          await queries.invalidateQueries({ queryKey: ['configs'] });
        } else if (config.protocol === 'ikev2') {
          await saveProfile(config, profileFor(findOwnSystem()));
        } else {
          const file = await queries.fetchQuery(configFileQuery(config.id));
          if (action === 'download') {
            saveFile(filenameOf(config), file);
            void keepSavedFile(config, filenameOf(config), file);
          } else {
            await navigator.clipboard.writeText(file);
            toast(m.copied());
          }
        }
      } catch (error) {
        const sentence = action === 'copy' && error instanceof DOMException ? m.copy_failed() : undefined;
        toast(sentence ?? errorSentence(error, failures[action]?.()), 'problem');
      } finally {
        setBusy(undefined);
      }
    },
    [queries],
  );
  const start = useCallback((action: ConfigAction, config: Config) => void act(action, config), [act]);
  return { act: start, busy };
}

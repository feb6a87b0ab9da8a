import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.ts';
import { keepForeignToken } from '../../../api/foreign-token.ts';
import { clearSession } from '../../../api/session.ts';
import { navigate } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { useEnter } from '../shared/use-enter.ts';
import { Waiting } from '../shared/waiting.tsx';

const DAYS = 1;

/** `?token=`: kept for a day, then asked whose it is. It leaves the address at once, whatever it turns out to be. */
export function TokenEntry({ token }: { token: string }) {
  const enter = useEnter();
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void (async () => {
      try {
        if (!keepForeignToken(token, DAYS)) throw new Error('Invalid token format');
        enter({ token, user: (await api.me()).user }, m.welcome());
      } catch {
        clearSession();
        toast(m.social_processing_failed(), 'problem');
        void navigate({ to: paths.signIn, search: {}, replace: true });
      }
    })();
  }, [token, enter]);
  return <Waiting title={m.social_checking()} text={m.social_checking_text()} />;
}

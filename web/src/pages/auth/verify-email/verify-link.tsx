import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { navigate } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { Waiting } from '../shared/waiting.tsx';
import { useVerified } from './use-verified.ts';

/** The mailed link was opened: it is as good as the code. When it is not good any more, the code is asked for. */
export function VerifyLink({ token, email }: { token: string; email: string }) {
  const verified = useVerified();
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    api.verifyEmail({ body: { token } }).then(verified, (error: unknown) => {
      toast(errorSentence(error), 'problem');
      void navigate({ to: paths.verifyEmail, state: { email }, replace: true });
    });
  }, [token, email, verified]);
  return <Waiting title={m.verify_heading()} text={m.link_checking()} />;
}

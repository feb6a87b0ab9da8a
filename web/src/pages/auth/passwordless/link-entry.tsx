import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { Mail } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { Link } from '../../../routes/link.tsx';
import { navigate } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { StepCard } from '../shared/step-card.tsx';
import { useEnter } from '../shared/use-enter.ts';
import { useSecondStep } from '../shared/use-second-step.ts';
import { Waiting } from '../shared/waiting.tsx';
import { readChallenge } from './challenge.ts';

/** What the mailed link carries behind its `#`; undefined in any other address. */
export function linkIn(hash: string): string | undefined {
  return /^#?link=([\w.-]+)$/.exec(hash)?.[1];
}

/**
 * The mailed link was opened: it is as good as the code, in the browser that asked for it. In any other it says so; the code
 * is then written where it was asked for.
 */
export function LinkEntry({ token }: { token: string }) {
  const enter = useEnter();
  const goToSecondStep = useSecondStep();
  const started = useRef(false);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    api.verifyCode({ body: { token } }).then(
      (session) => enter(session, m.welcome()),
      (error: unknown) => {
        if (goToSecondStep(error)) return;
        const isWrong = error instanceof ApiError && error.code.startsWith('code_');
        if (isWrong && !readChallenge()) return setRefused(true);
        toast(isWrong ? m.link_refused() : errorSentence(error), 'problem');
        const search = readChallenge() ? ({ step: 'verification' } as const) : {};
        void navigate({ to: paths.signIn, search, hash: '', replace: true });
      },
    );
  }, [token, enter, goToSecondStep]);
  if (!isRefused) return <Waiting title={m.verify_heading()} text={m.link_checking()} />;
  return (
    <StepCard title={m.verify_heading()} text={<p role="alert">{m.link_refused()}</p>}>
      <Link to={paths.signIn} search={{}} hash="" replace className="btn btn-primary w-full">
        <Mail className="size-5" aria-hidden />
        {m.link_new_code()}
      </Link>
    </StepCard>
  );
}

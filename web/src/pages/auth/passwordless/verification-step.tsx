import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { readToken } from '../../../api/session.ts';
import { navigate, preload } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { CodeForm } from '../shared/code-form.tsx';
import { ResendTimer } from '../shared/resend-timer.tsx';
import { SentTo } from '../shared/sent-to.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { useEnter } from '../shared/use-enter.ts';
import { useSecondStep } from '../shared/use-second-step.ts';
import { type Challenge, keepChallenge } from './challenge.ts';

export function VerificationStep({ challenge }: { challenge: Challenge }) {
  const enter = useEnter();
  const goToSecondStep = useSecondStep();
  const [sent, setSent] = useState(challenge);
  /** A new code starts with empty boxes. */
  const [rounds, setRounds] = useState(0);

  useArrivalElsewhere();
  // While the code is on its way, so are the files of the screen that it leads to.
  useEffect(() => preload(paths.dashboard), []);

  const resend = async () => {
    const again = await sendAgain(challenge.email);
    if (!again) return;
    setSent(again);
    setRounds((before) => before + 1);
  };

  const verify = async (code: string) => {
    try {
      enter(await api.verifyCode({ body: { email: challenge.email, code } }), m.welcome());
    } catch (error) {
      if (!goToSecondStep(error)) throw error;
    }
  };

  return (
    <StepCard title={m.verify_heading()} text={<SentTo email={sent.email} digits={sent.digits} />}>
      <CodeForm key={rounds} digits={sent.digits} hint={m.code_hint_link()} onCode={verify} />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 mt-4 -mx-2">
        <ResendTimer resendAt={sent.resendAt} onResend={resend} />
        <button
          type="button"
          className="btn btn-quiet btn-sm"
          onClick={() => void navigate({ to: paths.signIn, search: {} })}
        >
          {m.change_email()}
        </button>
      </div>
    </StepCard>
  );
}

/** The link in the mail opens in another tab: when this one is looked at again, it goes where that one went. */
function useArrivalElsewhere(): void {
  useEffect(() => {
    const follow = () => {
      if (document.visibilityState === 'visible' && readToken()) void navigate({ to: paths.dashboard, replace: true });
    };
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
}

/** Asks for another code; the answer says when the next one may be asked for. */
async function sendAgain(email: string): Promise<Challenge | undefined> {
  try {
    const { retry_after, code_length: digits = limits.verificationCode.digits } = await api.sendVerificationCode({
      body: { email },
    });
    const wait = Math.max(retry_after, limits.verificationCode.resendAfterSeconds);
    const challenge = { email, resendAt: now() + wait * 1000, digits };
    keepChallenge(challenge);
    toast(m.code_resent());
    return challenge;
  } catch (error) {
    const hasSentence = error instanceof ApiError && error.code !== 'unknown';
    toast(hasSentence ? errorSentence(error) : m.code_resend_failed(), 'problem');
    return undefined;
  }
}

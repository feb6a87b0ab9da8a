import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { useTitle } from '../../../components/use-title.ts';
import type { SignInReason } from '../../../routes/history-entry.ts';
import { Link } from '../../../routes/link.tsx';
import { navigate, useHistoryEntry } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { lastProvider, providerNames, takeState } from '../shared/social-attempt.ts';
import { useEnter } from '../shared/use-enter.ts';
import { useSecondStep } from '../shared/use-second-step.ts';
import { Waiting } from '../shared/waiting.tsx';
import { finishSocial, SocialFailure } from './finish-social.ts';
import { readReturn } from './read-return.ts';

const BACK_AFTER_MS = 3_000;

type Progress =
  | { readonly kind: 'checking' }
  | { readonly kind: 'done'; readonly greeting: string }
  | ({ readonly kind: 'failed' } & Failure);

/** `again` asks once more, where that may help; otherwise the way leads back by itself. */
interface Failure {
  readonly sentence: string;
  readonly reason: string | undefined;
  readonly again: (() => void) | undefined;
}

/** Where the browser comes back to from Google, and after GitHub from our own server. */
export default function CallbackPage() {
  useTitle(m.sign_in_title());
  const progress = useSocialReturn();
  return (
    <AuthLayout>
      {progress.kind === 'checking' && <Waiting title={m.social_checking()} text={m.social_checking_text()} />}
      {progress.kind === 'done' && <Done greeting={progress.greeting} />}
      {progress.kind === 'failed' && <Failed {...progress} />}
    </AuthLayout>
  );
}

function useSocialReturn(): Progress {
  const enter = useEnter();
  const goToSecondStep = useSecondStep();
  const query = useHistoryEntry().query;
  const started = useRef(false);
  const [progress, setProgress] = useState<Progress>({ kind: 'checking' });

  useEffect(() => {
    // An answer is good once.
    if (started.current) return;
    started.current = true;
    const returned = readReturn(new URLSearchParams(query), takeState());
    if (returned.kind === 'cancelled') {
      const sentence = m.social_cancelled({ provider: providerNames[lastProvider()] });
      void navigate({ to: paths.signIn, search: {}, state: { reason: { kind: 'calm', sentence } }, replace: true });
      return;
    }
    const finish = async () => {
      setProgress({ kind: 'checking' });
      try {
        const { isNew, greeting, ...session } = await finishSocial(returned);
        setProgress({ kind: 'done', greeting });
        enter(session, greeting);
        if (isNew) void navigate({ to: paths.signIn, search: { step: 'profile' }, replace: true });
      } catch (error) {
        if (goToSecondStep(error)) return;
        const failure = error instanceof SocialFailure ? error : new SocialFailure(errorSentence(error));
        toast(failure.message, 'problem');
        setProgress({
          kind: 'failed',
          sentence: failure.message,
          reason: failure.reason,
          again: failure.mayAskAgain ? () => void finish() : undefined,
        });
      }
    };
    void finish();
  }, [query, enter, goToSecondStep]);

  const over = progress.kind === 'failed' && !progress.again ? progress.sentence : undefined;
  useEffect(() => {
    if (over === undefined) return;
    const back = () => void navigate({ to: paths.signIn, search: {}, state: reasonOf(over), replace: true });
    const timer = setTimeout(back, BACK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [over]);

  return progress;
}

/** The sentence goes along: three seconds are too short to read it. */
function reasonOf(sentence: string): { reason: SignInReason } {
  return { reason: { kind: 'problem', sentence } };
}

function Done({ greeting }: { greeting: string }) {
  return (
    <section role="status" className="panel p-6 sm:p-8 grid justify-items-center text-center gap-2">
      <CircleCheck className="size-10 text-success" aria-hidden />
      <h1 className="text-xl font-black mt-2">{greeting}</h1>
      <p className="text-text-2">{m.social_done_text()}</p>
    </section>
  );
}

function Failed({ sentence, reason, again }: Failure) {
  const title = m.social_failed({ provider: providerNames[lastProvider()] });
  return (
    <section role="alert" className="panel p-6 sm:p-8 grid justify-items-center text-center gap-2">
      <span className="grid place-items-center size-12 rounded-full bg-danger-soft text-danger">
        <TriangleAlert className="size-6" aria-hidden />
      </span>
      <h1 className="text-xl font-black mt-1">{title}</h1>
      {sentence !== title && <p className="text-text-2">{sentence}</p>}
      {reason && (
        <details className="text-xs text-text-3">
          <summary className="cursor-pointer py-2">{m.social_details()}</summary>
          <bdi dir="ltr" className="font-code [overflow-wrap:anywhere]">
            {reason}
          </bdi>
        </details>
      )}
      {again ? (
        <Button className="btn btn-primary mt-3" onClick={again}>
          {m.try_again()}
        </Button>
      ) : (
        <p className="text-sm text-text-2 mt-2">{m.social_going_back()}</p>
      )}
      <Link to={paths.signIn} search={{}} state={reasonOf(sentence)} className="btn btn-ghost btn-sm mt-1">
        {again ? m.back_to_sign_in() : m.social_go_now()}
      </Link>
    </section>
  );
}

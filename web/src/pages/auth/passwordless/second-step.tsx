import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { recoveryCode } from '@raha/contract/public/factors.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { passkeyObstacle, signWithPasskey } from '../../../api/passkey.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { Link } from '../../../routes/link.tsx';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { CodeForm } from '../shared/code-form.tsx';
import { FormProblem } from '../shared/form-problem.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { useEnter } from '../shared/use-enter.ts';
import { Waiting } from '../shared/waiting.tsx';

type Way = 'totp' | 'passkey' | 'recovery';
type Answer = Parameters<typeof visitorApi.completeSecondStep>[0]['body'];

/** What this browser still owes; it expires, and each sign-in has its own. */
const secondStepQuery = queryOptions({
  queryKey: ['second-step'],
  queryFn: async ({ signal }) => (await visitorApi.getSecondStep({}, { signal })).data,
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** After a right password, code or provider: a factor of the account. */
export function SecondStep() {
  /** Entering clears all queries; this one must not be asked again, because its sign-in is no longer pending. */
  const [isDone, setDone] = useState(false);
  const step = useQuery({ ...secondStepQuery, enabled: !isDone });
  if (step.isError) return <Failed error={step.error} busy={step.isFetching} onRetry={() => void step.refetch()} />;
  if (!step.data) return <Waiting title={m.second_step_checking()} text={m.second_step_checking_text()} />;
  const ways: Way[] = [
    ...(step.data.totp ? (['totp'] as const) : []),
    ...(step.data.passkey && !passkeyObstacle() ? (['passkey'] as const) : []),
    ...(step.data.recovery_code ? (['recovery'] as const) : []),
  ];
  return <Ways ways={ways} onDone={() => setDone(true)} />;
}

const texts: Readonly<Record<Way, () => string>> = {
  totp: m.second_step_totp,
  passkey: m.second_step_passkey,
  recovery: m.second_step_recovery,
};
const names: Readonly<Record<Way, () => string>> = {
  totp: m.use_totp_instead,
  passkey: m.use_passkey_instead,
  recovery: m.use_recovery_instead,
};

function Ways({ ways, onDone }: { ways: readonly Way[]; onDone(): void }) {
  const [chosen, setChosen] = useState<Way>();
  const [isOver, setOver] = useState<string>();
  const enter = useEnter();
  const way = chosen ?? ways[0];
  const complete = async (body: Answer) => {
    try {
      const { message, ...session } = await visitorApi.completeSecondStep({ body });
      onDone();
      enter(session, message);
    } catch (error) {
      if (!isExpired(error)) throw error;
      setOver(errorSentence(error));
    }
  };
  const others = ways.filter((other) => other !== way);
  if (isOver !== undefined || way === undefined) {
    return (
      <StepCard title={m.second_step_title()} text={isOver ?? m.second_step_none()}>
        <StartAgain isMain />
      </StepCard>
    );
  }
  return (
    <StepCard title={m.second_step_title()} text={texts[way]()}>
      {way === 'totp' && <CodeForm hint={m.totp_code_hint()} onCode={(totp) => complete({ totp })} />}
      {way === 'passkey' && <PasskeyForm onCredential={(credential) => complete({ credential })} />}
      {way === 'recovery' && <RecoveryForm onCode={(recovery_code) => complete({ recovery_code })} />}
      {others.length > 0 && (
        <p className="mt-4 flex flex-wrap items-center gap-x-2 text-sm text-text-2">
          {m.other_ways()}
          {others.map((other) => (
            <button key={other} type="button" className="btn btn-quiet btn-sm" onClick={() => setChosen(other)}>
              {names[other]()}
            </button>
          ))}
        </p>
      )}
      <StartAgain />
    </StepCard>
  );
}

function PasskeyForm({ onCredential }: { onCredential(credential: PasskeyCredential): Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => button.current?.focus(), []);
  const confirm = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      const { data } = await visitorApi.startSecondStepPasskey();
      await onCredential(await signWithPasskey(data.options));
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <div className="grid gap-4">
      {problem && <FormProblem>{problem}</FormProblem>}
      <Button ref={button} className="btn btn-primary w-full" busy={busy} onClick={() => void confirm()}>
        <Fingerprint className="size-5" aria-hidden />
        {busy ? m.passkey_waiting() : m.continue_with_passkey()}
      </Button>
    </div>
  );
}

type PasskeyCredential = Awaited<ReturnType<typeof signWithPasskey>>;

function RecoveryForm({ onCode }: { onCode(code: string): Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const form = useForm({ code: recoveryCode }, { code: '' }, async ({ code }) => {
    try {
      await onCode(code);
      return undefined;
    } catch (error) {
      return { code: errorSentence(error) };
    }
  });
  return (
    <form {...form.form} className="grid gap-5">
      <TextField
        {...form.field('code')}
        ref={input}
        label={m.recovery_code_label()}
        hint={m.recovery_code_hint()}
        dir="ltr"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        className="font-code"
        problem={fieldSentence(form.problems.code)}
        onText={(value) => form.set('code', value)}
      />
      <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
        {form.busy ? m.verifying() : m.sign_in()}
      </Button>
    </form>
  );
}

function Failed({ error, busy, onRetry }: { error: Error; busy: boolean; onRetry(): void }) {
  return (
    <StepCard title={m.second_step_failed()} text={errorSentence(error)}>
      {!isExpired(error) && (
        <Button className="btn btn-primary w-full" busy={busy} onClick={onRetry}>
          {m.try_again()}
        </Button>
      )}
      <StartAgain isMain={isExpired(error)} />
    </StepCard>
  );
}

function StartAgain({ isMain = false }: { isMain?: boolean }) {
  return (
    <Link to={paths.signIn} search={{}} className={`btn w-full ${isMain ? 'btn-primary' : 'btn-quiet btn-sm mt-2'}`}>
      {m.second_step_again()}
    </Link>
  );
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'second_step_expired';
}

import type { StaffSignIn } from '@raha/contract/admin/sessions.ts';
import { useLayoutEffect, useRef, useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { toggleTheme } from '../../ui/theme.ts';
import { api } from '../api.ts';
import { changeLanguage } from '../change-language.ts';
import { CodeField, Field } from '../field.tsx';
import { Lead } from '../lead.tsx';
import { Brand } from '../mark.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { EnrolStep } from './enrol-step.tsx';
import { EntryForm } from './entry-form.tsx';
import { FactorStep } from './factor-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Step =
  | { readonly name: 'email' }
  | { readonly name: 'code'; readonly email: string }
  | { readonly name: 'factor'; readonly signIn: StaffSignIn }
  | { readonly name: 'recovery'; readonly codes: readonly string[] };

/** A code by mail, then a factor; the first time, setting one up. */
export function SignInScreen({ wasSignedIn, onSignedIn }: { wasSignedIn: boolean; onSignedIn: () => void }) {
  const [step, setStep] = useState<Step>({ name: 'email' });
  const restart = () => setStep({ name: 'email' });
  const main = useRef<HTMLElement>(null);
  // Each step begins where one types or presses: the control of the step before is gone, and the focus with it. Before the browser
  // shows the step, so that no key is lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per step
  useLayoutEffect(() => main.current?.querySelector<HTMLElement>('input, button')?.focus(), [step.name]);
  return (
    <div className="c-entry">
      <header>
        <Brand />
        <div className="c-buttons">
          <button
            type="button"
            className="c-link"
            onClick={changeLanguage}
            lang={currentLocale() === 'fa' ? 'en' : 'fa'}
          >
            {m.console_language()}
          </button>
          <button type="button" className="c-link" onClick={toggleTheme}>
            {m.console_theme()}
          </button>
        </div>
      </header>
      <main ref={main}>
        {step.name === 'email' ? (
          <>
            <Lead
              title={m.console_sign_in()}
              text={wasSignedIn ? m.console_session_over() : m.console_sign_in_text()}
            />
            <EmailForm onSent={(email) => setStep({ name: 'code', email })} />
          </>
        ) : null}
        {step.name === 'code' ? (
          <>
            <Lead title={m.console_code_title()} text={m.console_code_text({ email: `\u2068${step.email}\u2069` })} />
            <CodeForm
              email={step.email}
              onEntered={(signIn) => setStep({ name: 'factor', signIn })}
              onRestart={restart}
            />
          </>
        ) : null}
        {step.name === 'factor' && step.signIn.enrol ? (
          <EnrolStep
            signIn={step.signIn}
            onEnrolled={(codes) => (codes ? setStep({ name: 'recovery', codes }) : onSignedIn())}
          />
        ) : null}
        {step.name === 'factor' && !step.signIn.enrol ? (
          <FactorStep signIn={step.signIn} onSignedIn={onSignedIn} onRestart={restart} />
        ) : null}
        {step.name === 'recovery' ? <RecoveryCodes codes={step.codes} onKept={onSignedIn} /> : null}
      </main>
    </div>
  );
}

function EmailForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useState('');
  const work = useWork();
  const send = async () => {
    await api.sendStaffCode({ body: { email } });
    onSent(email.trim());
  };
  return (
    <EntryForm onSubmit={() => work.run(send)}>
      <Field
        label={m.console_email()}
        type="email"
        dir="ltr"
        autoComplete="email"
        value={email}
        error={work.fields.email}
        onText={setEmail}
      />
      <Problem sentence={work.sentence} />
      <button type="submit" className="c-button c-main" disabled={work.isBusy}>
        {m.console_send_code()}
      </button>
    </EntryForm>
  );
}

interface CodeProps {
  readonly email: string;
  onEntered(signIn: StaffSignIn): void;
  onRestart(): void;
}

function CodeForm({ email, onEntered, onRestart }: CodeProps) {
  const [code, setCode] = useState('');
  const work = useWork();
  const enter = async () => onEntered((await api.enterStaffCode({ body: { email, code } })).data);
  return (
    <EntryForm onSubmit={() => work.run(enter)}>
      <CodeField label={m.console_code()} value={code} error={work.fields.code} onText={setCode} />
      <Problem sentence={work.sentence} />
      <button type="submit" className="c-button c-main" disabled={work.isBusy}>
        {m.console_proceed()}
      </button>
      <button type="button" className="c-link" onClick={onRestart}>
        {m.console_other_email()}
      </button>
    </EntryForm>
  );
}

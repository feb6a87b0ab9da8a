import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { cleanEmail } from '@raha/contract/persian.ts';
import { email as emailSchema } from '@raha/contract/public/auth.ts';
import { KeyRound } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { Link } from '../../../routes/link.tsx';
import { navigate } from '../../../routes/navigation.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { Agreement } from '../shared/agreement.tsx';
import { EmailField } from '../shared/email-field.tsx';
import { PasskeyButton } from '../shared/passkey-button.tsx';
import { SignInReasonBox } from '../shared/sign-in-reason.tsx';
import { SocialButtons } from '../shared/social-buttons.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { keepChallenge, readChallenge } from './challenge.ts';

export function EmailStep({ email, onEmail }: { email: string; onEmail(email: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const form = useForm({ email: emailSchema }, { email }, async (values) => {
    const address = cleanEmail(values.email);
    try {
      const { code_length } = await api.sendVerificationCode({ body: { email: address } });
      const { firstResendCountdownSeconds: wait, digits: usual } = limits.verificationCode;
      const digits = code_length ?? usual;
      keepChallenge({ email: address, resendAt: now() + wait * 1000, digits });
    } catch (error) {
      if (!isStillFresh(error, address)) {
        toast(errorSentence(error), 'problem');
        return { email: (error instanceof ApiError && error.fields.email) || errorSentence(error) };
      }
      toast(errorSentence(error), 'problem');
    }
    void navigate({ to: paths.signIn, search: { step: 'verification' } });
    return undefined;
  });

  return (
    <StepCard title={m.sign_in_heading()} text={m.sign_in_text()}>
      <SignInReasonBox />
      <form {...form.form} className="grid gap-5">
        <EmailField
          {...form.field('email')}
          ref={input}
          problem={fieldSentence(form.problems.email)}
          onText={(value) => {
            form.set('email', value);
            onEmail(value);
          }}
        />
        {/* Off while there is nothing to send (specification 1, section 5). */}
        <Button
          type="submit"
          busy={form.busy}
          aria-disabled={form.values.email.trim() === ''}
          className="btn btn-primary w-full"
        >
          {form.busy ? m.sending() : m.continue_with_email()}
        </Button>
      </form>
      <Link to={paths.signIn} search={{ method: 'password' }} className="btn btn-quiet btn-sm w-full mt-2">
        <KeyRound className="size-4" aria-hidden />
        {m.sign_in_with_password()}
      </Link>
      <PasskeyButton />
      <SocialButtons />
      <p className="mt-5 text-sm text-text-3">{m.sign_in_note()}</p>
      <Agreement />
    </StepCard>
  );
}

/** The last code for this very address has not run out: it is waiting in the inbox, so the next step is the same. */
function isStillFresh(error: unknown, address: string): boolean {
  return error instanceof ApiError && error.code === 'code_too_soon' && readChallenge()?.email === address;
}

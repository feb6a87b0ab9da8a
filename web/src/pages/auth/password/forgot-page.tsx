import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { cleanEmail } from '@raha/contract/persian.ts';
import { email as emailSchema } from '@raha/contract/public/auth.ts';
import { MailCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { useTitle } from '../../../components/use-title.ts';
import { Link } from '../../../routes/link.tsx';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { EmailField } from '../shared/email-field.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { useCarriedEmail } from '../shared/use-carried-email.ts';

export default function ForgotPage() {
  useTitle(m.forgot_title());
  const carried = useCarriedEmail();
  const [sent, setSent] = useState<string>();
  return (
    <AuthLayout>
      {sent === undefined ? <AskForLink email={carried} onSent={setSent} /> : <LinkSent sentence={sent} />}
    </AuthLayout>
  );
}

function AskForLink({ email, onSent }: { email: string; onSent(sentence: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const form = useForm({ email: emailSchema }, { email }, async (values) => {
    try {
      const { message } = await visitorApi.forgotPassword({ body: { email: cleanEmail(values.email) } });
      onSent(message ?? '');
      return undefined;
    } catch (error) {
      toast(errorSentence(error), 'problem');
      return { email: (error instanceof ApiError && error.fields.email) || errorSentence(error) };
    }
  });
  return (
    <StepCard title={m.forgot_title()} text={m.forgot_text()}>
      <form {...form.form} className="grid gap-5">
        <EmailField
          {...form.field('email')}
          ref={input}
          problem={fieldSentence(form.problems.email)}
          onText={(value) => form.set('email', value)}
        />
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {form.busy ? m.sending() : m.forgot_action()}
        </Button>
      </form>
      <BackToSignIn />
    </StepCard>
  );
}

/** The same for every address, so that it does not reveal which ones have an account. */
function LinkSent({ sentence }: { sentence: string }) {
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div ref={heading} tabIndex={-1} role="status">
      <StepCard title={m.forgot_sent_title()} text={sentence}>
        <p className="flex items-start gap-3 rounded-md bg-accent-soft px-4 py-3 text-sm">
          <MailCheck className="size-5 shrink-0 mt-0.5 text-accent" aria-hidden />
          {m.forgot_sent_hint({ minutes: number(limits.password.resetMinutes) })}
        </p>
        <BackToSignIn />
      </StepCard>
    </div>
  );
}

function BackToSignIn() {
  return (
    <Link to={paths.signIn} search={{ method: 'password' }} className="btn btn-quiet btn-sm w-full mt-3">
      {m.back_to_sign_in()}
    </Link>
  );
}

import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { chosenPassword } from '@raha/contract/public/password.ts';
import { useEffect, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { clearSession } from '../../../api/session.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { useTitle } from '../../../components/use-title.ts';
import { Link } from '../../../routes/link.tsx';
import { navigate, useHistoryEntry } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { FormProblem } from '../shared/form-problem.tsx';
import { PasswordField } from '../shared/password-field.tsx';
import { StepCard } from '../shared/step-card.tsx';

export default function ResetPage() {
  useTitle(m.forgot_title());
  const query = useHistoryEntry().query;
  const token = new URLSearchParams(query).get('token');
  return <AuthLayout>{token ? <ChoosePassword token={token} /> : <LinkMissing />}</AuthLayout>;
}

function ChoosePassword({ token }: { token: string }) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  useEffect(() => input.current?.focus(), []);

  const form = useForm({ password: chosenPassword }, { password: '' }, async ({ password }) => {
    setProblem(undefined);
    try {
      await visitorApi.resetPassword({ body: { token, password } });
      // Every session has ended, the one of this browser too.
      clearSession();
      toast(m.password_saved());
      void navigate({ to: paths.signIn, search: { method: 'password' }, replace: true });
      return undefined;
    } catch (error) {
      toast(errorSentence(error), 'problem');
      if (error instanceof ApiError && error.fields.password) return { password: error.fields.password };
      setProblem(errorSentence(error));
      return undefined;
    }
  });

  return (
    <StepCard title={m.forgot_title()} text={m.reset_password_text()}>
      <form {...form.form} className="grid gap-5">
        {problem && (
          <FormProblem>
            <p>{problem}</p>
            <Link
              to={paths.forgotPassword}
              className="inline-flex items-center min-h-11 font-bold underline underline-offset-4"
            >
              {m.ask_new_link()}
            </Link>
          </FormProblem>
        )}
        <PasswordField
          {...form.field('password')}
          ref={input}
          label={m.new_password_label()}
          autoComplete="new-password"
          meter
          hint={m.strength_hint()}
          problem={form.problems.password}
          onText={(value) => form.set('password', value)}
        />
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {form.busy ? m.saving() : m.reset_password_action()}
        </Button>
      </form>
    </StepCard>
  );
}

function LinkMissing() {
  return (
    <StepCard title={m.reset_link_missing()} text={m.reset_link_missing_text()}>
      <Link to={paths.forgotPassword} className="btn btn-primary w-full">
        {m.ask_new_link()}
      </Link>
    </StepCard>
  );
}

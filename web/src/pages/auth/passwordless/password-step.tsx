import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { cleanEmail } from '@raha/contract/persian.ts';
import { email as emailSchema } from '@raha/contract/public/auth.ts';
import { enteredPassword } from '@raha/contract/public/password.ts';
import { Mail } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { keepTemporaryToken } from '../../../api/foreign-token.ts';
import { loginSentence } from '../../../api/login-sentence.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { Link } from '../../../routes/link.tsx';
import { navigate } from '../../../routes/navigation.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { Checkbox } from '../shared/checkbox.tsx';
import { EmailField } from '../shared/email-field.tsx';
import { FormProblem } from '../shared/form-problem.tsx';
import { PasskeyButton } from '../shared/passkey-button.tsx';
import { PasswordField } from '../shared/password-field.tsx';
import { SocialButtons } from '../shared/social-buttons.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { useEnter } from '../shared/use-enter.ts';
import { useSecondStep } from '../shared/use-second-step.ts';

export function PasswordStep({ email, onEmail }: { email: string; onEmail(email: string): void }) {
  const enter = useEnter();
  const goToSecondStep = useSecondStep();
  const first = useRef<HTMLInputElement>(null);
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => first.current?.focus(), []);

  const form = useForm({ email: emailSchema, password: enteredPassword }, { email, password: '' }, async (values) => {
    setProblem(undefined);
    const address = cleanEmail(values.email);
    try {
      const body = { email: address, password: values.password, remember_me: remember };
      const { token, temp_token, user, message } = await visitorApi.login({ body });
      if (token) enter({ token, user }, message);
      else if (temp_token) {
        keepTemporaryToken(temp_token, user);
        void navigate({ to: paths.verifyEmail, state: { email: address } });
      }
      return undefined;
    } catch (error) {
      if (goToSecondStep(error)) return undefined;
      const sentence = loginSentence(error);
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) return error.fields;
      if (error instanceof ApiError && error.status === 401) return { password: sentence };
      setProblem(sentence);
      return undefined;
    }
  });

  return (
    <StepCard title={m.sign_in_with_password()} text={m.sign_in_password_text()}>
      <form {...form.form} className="grid gap-4">
        {problem && <FormProblem>{problem}</FormProblem>}
        <EmailField
          {...form.field('email')}
          {...(email ? {} : { ref: first })}
          autoComplete="username"
          problem={fieldSentence(form.problems.email)}
          onText={(value) => {
            form.set('email', value);
            onEmail(value);
          }}
        />
        <PasswordField
          {...form.field('password')}
          {...(email ? { ref: first } : {})}
          label={m.password_label()}
          autoComplete="current-password"
          problem={form.problems.password}
          onText={(value) => form.set('password', value)}
        />
        <div className="flex flex-wrap items-center justify-between gap-x-4 -my-1">
          <Checkbox name="remember" checked={remember} onChange={setRemember}>
            {m.remember_me()}
          </Checkbox>
          <Link
            to={paths.forgotPassword}
            state={{ email: form.values.email }}
            className="inline-flex items-center min-h-11 text-sm font-semibold text-accent hover:underline underline-offset-4"
          >
            {m.password_forgotten()}
          </Link>
        </div>
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {form.busy ? m.signing_in() : m.sign_in()}
        </Button>
      </form>
      <Link to={paths.signIn} search={{}} className="btn btn-quiet btn-sm w-full mt-2">
        <Mail className="size-4" aria-hidden />
        {m.sign_in_with_code()}
      </Link>
      <PasskeyButton />
      <SocialButtons />
      <p className="mt-4 text-sm text-text-2">
        {m.no_account()}{' '}
        <Link to={paths.register} className="font-bold text-accent hover:underline underline-offset-4">
          {m.register_with_password()}
        </Link>
      </p>
    </StepCard>
  );
}

import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { cleanEmail } from '@raha/contract/persian.ts';
import { email as emailSchema, fullName } from '@raha/contract/public/auth.ts';
import { chosenPassword } from '@raha/contract/public/password.ts';
import { useState } from 'react';
import { errorSentence } from '../../api/error-sentence.ts';
import { keepTemporaryToken } from '../../api/foreign-token.ts';
import { visitorApi } from '../../api/visitor-client.ts';
import { Link } from '../../routes/link.tsx';
import { navigate } from '../../routes/navigation.ts';
import { fieldSentence } from '../../text/field-sentence.ts';
import { m } from '../../text/generated/messages.js';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';
import { useForm } from '../../ui/use-form.ts';
import { LegalLinks } from '../auth/shared/agreement.tsx';
import { Checkbox } from '../auth/shared/checkbox.tsx';
import { EmailField } from '../auth/shared/email-field.tsx';
import { FormProblem } from '../auth/shared/form-problem.tsx';
import { accepted } from '../auth/shared/matches.ts';
import { NewPasswordFields, useRepetition } from '../auth/shared/new-password-fields.tsx';
import { useEnter } from '../auth/shared/use-enter.ts';
import { keepMailedCode } from '../auth/verify-email/mailed-code.ts';

const empty = { name: '', email: '', password: '', password_confirmation: '', terms: '' };

export function RegisterForm() {
  const enter = useEnter();
  const { schema: repetition, typed } = useRepetition();
  const [problem, setProblem] = useState<string>();
  const [taken, setTaken] = useState<string>();
  const schemas = {
    name: fullName,
    email: emailSchema,
    password: chosenPassword,
    password_confirmation: repetition,
    terms: accepted,
  };

  const form = useForm(schemas, empty, async ({ terms: _, ...values }) => {
    setProblem(undefined);
    const email = cleanEmail(values.email);
    try {
      const { token, temp_token, user, message, code_length } = await visitorApi.register({
        body: { ...values, email },
      });
      keepMailedCode(email, code_length);
      if (token) enter({ token, user }, message);
      else if (temp_token) {
        toast(message);
        keepTemporaryToken(temp_token, user);
        void navigate({ to: paths.verifyEmail, state: { email } });
      }
      return undefined;
    } catch (error) {
      toast(errorSentence(error), 'problem');
      if (error instanceof ApiError && error.code === 'email_taken') setTaken(values.email);
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) return error.fields;
      setProblem(errorSentence(error));
      return undefined;
    }
  });
  const problemOf = (name: keyof typeof empty) => fieldSentence(form.problems[name]);

  return (
    <form {...form.form} className="grid gap-4">
      {problem && <FormProblem title={m.register_failed()}>{problem}</FormProblem>}
      <TextField
        {...form.field('name')}
        label={m.full_name_label()}
        autoComplete="name"
        dir="auto"
        maxLength={400}
        className="text-start"
        problem={problemOf('name')}
        onText={(value) => form.set('name', value)}
      />
      <div>
        <EmailField
          {...form.field('email')}
          autoComplete="username"
          problem={problemOf('email')}
          onText={(value) => form.set('email', value)}
        />
        {taken !== undefined && taken === form.values.email && <SignInInstead email={taken} />}
      </div>
      <NewPasswordFields form={form} label={m.password_label()} typed={typed} />
      <Checkbox
        name="terms"
        checked={form.values.terms !== ''}
        problem={problemOf('terms')}
        onChange={(checked) => form.set('terms', checked ? 'accepted' : '')}
      >
        {m.terms_accept_start()} <LegalLinks /> {m.terms_accept()}
      </Checkbox>
      <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
        {form.busy ? m.registering() : m.register_action()}
      </Button>
    </form>
  );
}

function SignInInstead({ email }: { email: string }) {
  return (
    <Link
      to={paths.signIn}
      search={{ method: 'password' }}
      state={{ email }}
      className="inline-flex items-center min-h-11 text-sm font-bold text-accent hover:underline underline-offset-4"
    >
      {m.sign_in_this_email()}
    </Link>
  );
}

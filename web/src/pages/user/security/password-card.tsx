import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { chosenPassword } from '@raha/contract/public/password.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { clearSession } from '../../../api/session.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { FormProblem } from '../../auth/shared/form-problem.tsx';
import { NewPasswordFields, useRepetition } from '../../auth/shared/new-password-fields.tsx';
import { PasswordField } from '../../auth/shared/password-field.tsx';

const empty = { current_password: '', password: '', password_confirmation: '' };
/** Whether the account has a password is the server's to say: empty stands for "none yet". */
const anything = { safeParse: (value: unknown) => ({ success: true as const, data: value }) };

export function PasswordCard({ email }: { email: string }) {
  /** A fresh form after each success. */
  const [round, setRound] = useState(0);
  return (
    <section aria-labelledby="password" className="panel p-4 sm:p-6">
      <h2 id="password" className="text-base font-bold">
        {m.password_heading()}
      </h2>
      <p className="text-sm text-text-2 mt-1 mb-4">{m.password_text()}</p>
      <PasswordForm key={round} email={email} onDone={() => setRound(round + 1)} />
    </section>
  );
}

function PasswordForm({ email, onDone }: { email: string; onDone(): void }) {
  const queries = useQueryClient();
  const { schema: repetition, typed } = useRepetition();
  const [problem, setProblem] = useState<{ sentence: string; stale: boolean }>();
  const schemas = { current_password: anything, password: chosenPassword, password_confirmation: repetition };
  const form = useForm(schemas, empty, async ({ current_password, ...chosen }) => {
    setProblem(undefined);
    try {
      await api.changePassword({ body: { ...chosen, ...(current_password === '' ? {} : { current_password }) } });
      toast(m.password_changed());
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      onDone();
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) return error.fields;
      const stale = error instanceof ApiError && error.code === 'password_needs_fresh_sign_in';
      setProblem({ sentence: errorSentence(error), stale });
      return undefined;
    }
  });

  return (
    <form {...form.form} className="grid gap-4">
      {problem && (
        <FormProblem>
          <p>{problem.sentence}</p>
          {problem.stale && <SignInAgain />}
        </FormProblem>
      )}
      {/* For password managers: whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        {...form.field('current_password')}
        label={m.current_password_label()}
        autoComplete="current-password"
        hint={m.current_password_hint()}
        problem={form.problems.current_password}
        onText={(value) => form.set('current_password', value)}
      />
      <NewPasswordFields form={form} label={m.new_password_label()} typed={typed} />
      <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
        {form.busy ? m.saving() : m.reset_password_action()}
      </Button>
    </form>
  );
}

/** A first password needs a sign-in of the last minutes: out, and back here by code. */
function SignInAgain() {
  const leaving = useRef(false);
  const leave = async () => {
    if (leaving.current) return;
    leaving.current = true;
    await api.logout().catch(() => undefined);
    clearSession();
    location.assign(paths.security);
  };
  return (
    <button type="button" className="min-h-11 font-bold underline underline-offset-4" onClick={() => void leave()}>
      {m.sign_in_again()}
    </button>
  );
}

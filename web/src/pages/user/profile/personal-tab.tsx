import { ApiError } from '@raha/contract/client.ts';
import { cleanEmail, cleanPhone } from '@raha/contract/persian.ts';
import { email as emailSchema, fullName } from '@raha/contract/public/auth.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { phone as phoneSchema } from '@raha/contract/public/profile.ts';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { now } from '../../../api/clock.ts';
import { meQuery } from '../../../api/me.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { FormProblem } from '../../auth/shared/form-problem.tsx';
import { AvatarCard } from './avatar-card.tsx';
import type { Proof } from './confirm-dialog.tsx';
import { PendingEmail } from './pending-email.tsx';
import { PhoneField } from './phone-field.tsx';
import { profileApi, sentenceOr } from './profile-api.ts';

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'));

const FORM = 'profile-form';
/** Empty is a number too: none. */
const anyPhone = {
  safeParse: (value: unknown) => (value === '' ? { success: true as const, data: '' } : phoneSchema.safeParse(value)),
};

export function PersonalTab({ profile }: { profile: Profile }) {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  /** What waits for the owner's word because the e-mail changes. */
  const [asking, setAsking] = useState<Changes>();
  const given = { name: profile.name, email: profile.email, phone: profile.phone ?? '' };
  /** When the pending address may be sent another code; at once, as far as this page knows. */
  const [resendAt, setResendAt] = useState(0);
  const form = useForm({ name: fullName, email: emailSchema, phone: anyPhone }, given, async (values) => {
    setProblem(undefined);
    const changes = changesOf(values, profile);
    if (changes.phone && changes.phone !== profile.phone) return { phone: 'phone_unverified' };
    if (changes.email !== undefined) {
      setAsking(changes);
      return undefined;
    }
    try {
      await save(changes);
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.fields).length > 0) return error.fields;
      setProblem(sentenceOr(error, m.profile_update_failed()));
    }
    return undefined;
  });

  const save = async (changes: Changes & Proof) => {
    const { data, retry_after } = await profileApi.updateProfile({ body: changes });
    if (retry_after !== undefined) setResendAt(now() + retry_after * 1000);
    toast(m.profile_saved());
    form.set('name', data.profile.name);
    form.set('email', data.profile.email);
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };

  return (
    <div className="grid gap-4 sm:gap-5 xl:grid-cols-[1fr_24rem] items-start">
      <section aria-labelledby="personal" className="panel p-4 sm:p-6 grid gap-5">
        <h2 id="personal" className="text-base font-bold">
          {m.profile_tab_personal()}
        </h2>
        {problem && <FormProblem>{problem}</FormProblem>}
        <form {...form.form} id={FORM} className="grid gap-4">
          <TextField
            {...form.field('name')}
            label={m.full_name_label()}
            autoComplete="name"
            required
            dir="auto"
            problem={fieldSentence(form.problems.name)}
            onText={(value) => form.set('name', value)}
          />
          <TextField
            {...form.field('email')}
            type="email"
            label={m.email_label()}
            autoComplete="email"
            required
            dir="ltr"
            hint={m.email_new_hint()}
            problem={fieldSentence(form.problems.email)}
            onText={(value) => form.set('email', value)}
          />
          <PhoneField form={form} profile={profile} />
        </form>
        {/* Outside the form, because the code has a form of its own. */}
        <div id="phone-code" className="empty:hidden" />
        <Button type="submit" form={FORM} busy={form.busy} className="btn btn-primary justify-self-start max-sm:w-full">
          {form.busy ? m.saving() : m.profile_save()}
        </Button>
      </section>
      <div className="grid gap-4 sm:gap-5">
        <AvatarCard profile={profile} />
        {profile.pendingEmail && (
          <PendingEmail email={profile.pendingEmail} resendAt={resendAt} onResendAt={setResendAt} />
        )}
      </div>
      {asking && (
        <Suspense>
          <ConfirmDialog
            title={m.email_change_title()}
            description={m.email_change_text({ email: asking.email ?? '' })}
            confirmLabel={m.confirm_continue()}
            profile={profile}
            onConfirm={async (proof) => {
              await save({ ...asking, ...proof });
              setAsking(undefined);
            }}
            onClose={() => setAsking(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface Changes {
  name?: string;
  email?: string;
  phone?: string;
}

/** Only what is different goes to the server: two tabs of the browser undo nothing of each other. */
function changesOf(values: { name: string; email: string; phone: string }, profile: Profile): Changes {
  const [email, phone] = [cleanEmail(values.email), cleanPhone(values.phone)];
  return {
    ...(values.name === profile.name ? {} : { name: values.name }),
    ...(email === profile.email ? {} : { email }),
    ...(phone === (profile.phone ?? '') ? {} : { phone }),
  };
}

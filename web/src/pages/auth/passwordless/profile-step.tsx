import { ApiError } from '@raha/contract/client.ts';
import { fullName } from '@raha/contract/public/auth.ts';
import { Gift } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { readUser } from '../../../api/session.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { freeTrialTerms, passwordlessTrialDays } from '../../../text/site-values.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { StepCard } from '../shared/step-card.tsx';
import { useEnter } from '../shared/use-enter.ts';

export function ProfileStep() {
  const enter = useEnter();
  const input = useRef<HTMLInputElement>(null);
  // A trial that has begun already is no new one.
  const free = readUser()?.trialEndsAt ? 0 : passwordlessTrialDays();
  const days = number(free);
  useEffect(() => input.current?.focus(), []);

  const form = useForm({ name: fullName }, { name: readUser()?.fullName ?? '' }, async ({ name }) => {
    try {
      const signedIn = await api.completeProfile({ body: { name } });
      const hasTrial = Date.parse(signedIn.user.trialEndsAt ?? '') > now();
      enter(signedIn, hasTrial ? m.profile_completed({ days, terms: freeTrialTerms() }) : sentenceWithoutTrial(free));
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.fields.name) return { name: error.fields.name };
      toast(errorSentence(error), 'problem');
      return { name: errorSentence(error) };
    }
  });

  return (
    <StepCard title={m.profile_heading()} text={m.profile_text()}>
      <form {...form.form} className="grid gap-5">
        <TextField
          {...form.field('name')}
          ref={input}
          label={m.full_name_label()}
          autoComplete="name"
          dir="auto"
          maxLength={400}
          className="text-start"
          problem={fieldSentence(form.problems.name)}
          onText={(value) => form.set('name', value)}
        />
        {free > 0 && (
          <p className="flex items-start gap-3 rounded-md bg-accent-soft px-4 py-3 text-sm">
            <Gift className="size-5 shrink-0 mt-0.5 text-accent" aria-hidden />
            <span>{m.trial_note({ days, terms: freeTrialTerms() })}</span>
          </p>
        )}
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {form.busy ? m.saving() : m.complete_registration()}
        </Button>
      </form>
    </StepCard>
  );
}

/** The operator gives trials, and this mailbox had one. */
function sentenceWithoutTrial(days: number): string {
  return days > 0 ? m.profile_without_trial() : m.welcome();
}

import { cleanPhone } from '@raha/contract/persian.ts';
import { type Profile, phone as phoneSchema } from '@raha/contract/public/profile.ts';
import { screen } from '@raha/contract/screen-timings.ts';
import { useQueryClient } from '@tanstack/react-query';
import { BadgeCheck, CircleCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { now } from '../../../api/clock.ts';
import { meQuery } from '../../../api/me.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import { ResendTimer } from '../../auth/shared/resend-timer.tsx';
import { profileApi, sentenceOr } from './profile-api.ts';

interface PhoneForm {
  readonly values: { readonly phone: string };
  readonly problems: Readonly<Record<string, string>>;
  set(name: 'phone', value: string): void;
  setProblems(problems: Readonly<Record<string, string>>): void;
  field(name: 'phone'): { name: string; value: string };
}

/** input → a code is sent → verify → verified, and after two seconds input again. */
type Phase = { kind: 'input' } | { kind: 'verify'; phone: string; resendAt: number } | { kind: 'verified' };

export function PhoneField({ form, profile }: { form: PhoneForm; profile: Profile }) {
  const queries = useQueryClient();
  const [phase, setPhase] = useState<Phase>({ kind: 'input' });
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const typed = cleanPhone(form.values.phone);
  const isProved = typed !== '' && typed === profile.phone;

  useEffect(() => {
    if (phase.kind !== 'verified') return;
    const timer = setTimeout(() => setPhase({ kind: 'input' }), screen.phoneVerifiedResetMs);
    return () => clearTimeout(timer);
  }, [phase.kind]);

  const send = async (phone: string) => {
    if (running.current) return;
    if (!phoneSchema.safeParse(phone).success) return form.setProblems({ phone: 'phone_invalid' });
    running.current = true;
    setBusy(true);
    try {
      const { retry_after } = await profileApi.sendPhoneCode({ body: { phone } });
      form.setProblems({});
      toast(m.phone_code_sent());
      setPhase({ kind: 'verify', phone, resendAt: now() + retry_after * 1000 });
    } catch (error) {
      form.setProblems({ phone: sentenceOr(error, m.phone_send_failed()) });
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  const verify = async (phone: string, code: string) => {
    await profileApi.verifyPhoneCode({ body: { phone, code } });
    form.set('phone', phone);
    form.setProblems({});
    toast(m.phone_verified());
    setPhase({ kind: 'verified' });
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };

  const codeSection = document.getElementById('phone-code');
  return (
    <>
      <div className="flex flex-wrap sm:flex-nowrap gap-3 items-start *:first:flex-1 *:first:min-w-0 max-sm:*:w-full">
        <TextField
          {...form.field('phone')}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          dir="ltr"
          label={m.phone_label()}
          readOnly={phase.kind === 'verify' || !profile.phoneVerification}
          hint={hintOf(profile, isProved, phase.kind === 'verified')}
          problem={fieldSentence(form.problems.phone)}
          onText={(value) => form.set('phone', value)}
        />
        {profile.phoneVerification && typed !== '' && !isProved && phase.kind === 'input' && (
          <Button className="btn btn-ghost sm:mt-8" busy={busy} onClick={() => void send(typed)}>
            {busy ? m.phone_sending() : m.phone_send_code()}
          </Button>
        )}
      </div>
      {phase.kind === 'verify' &&
        codeSection &&
        createPortal(
          <section aria-labelledby="phone-verify" className="rounded-lg bg-surface-2 p-4 sm:p-5 grid gap-3">
            <h3 id="phone-verify" className="font-bold">
              {m.phone_verify_heading()}
            </h3>
            <p className="text-sm text-text-2">{m.phone_sent_to({ phone: `\u2066${phase.phone}\u2069` })}</p>
            <CodeForm hint={m.phone_code_hint()} onCode={(code) => verify(phase.phone, code)} />
            <div className="flex flex-wrap items-center gap-2">
              <ResendTimer resendAt={phase.resendAt} onResend={() => send(phase.phone)} />
              <Button className="btn btn-quiet btn-sm" onClick={() => setPhase({ kind: 'input' })}>
                {m.phone_change()}
              </Button>
            </div>
          </section>,
          codeSection,
        )}
    </>
  );
}

function hintOf(profile: Profile, isProved: boolean, isNew: boolean) {
  if (!profile.phoneVerification) return m.phone_off();
  if (!isProved) return m.phone_hint();
  const Icon = isNew ? CircleCheck : BadgeCheck;
  return (
    <span role="status" className="inline-flex items-center gap-1.5 font-semibold text-success">
      <Icon className="size-4" aria-hidden />
      {isNew ? m.phone_verified() : m.phone_is_verified()}
    </span>
  );
}

import type { StaffSignIn } from '@raha/contract/admin/sessions.ts';
import { useState } from 'react';
import { passkeyObstacle, signWithPasskey } from '../../api/passkey.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { Lead } from '../lead.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { EntryForm } from './entry-form.tsx';

interface Props {
  readonly signIn: StaffSignIn;
  onSignedIn(): void;
  onRestart(): void;
}

/** A passkey, a code of the app, or a recovery code. */
export function FactorStep({ signIn, onSignedIn, onRestart }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const [text, setText] = useState('');
  const work = useWork();
  const hasPasskey = signIn.passkey && !passkeyObstacle();
  const byPasskey = async () => {
    const { data } = await api.startStaffPasskey();
    const credential = await signWithPasskey(data.options);
    await api.completeStaffSignIn({ body: { credential } });
    onSignedIn();
  };
  const byCode = async () => {
    await api.completeStaffSignIn({ body: isRecovery ? { recovery_code: text } : { totp: text } });
    onSignedIn();
  };
  const takesCode = signIn.totp || isRecovery;
  const isStuck = !hasPasskey && !signIn.totp && !signIn.recovery_code;
  return (
    <>
      <Lead title={m.console_factor_title()} text={isStuck ? m.console_no_way() : m.console_factor_text()} />
      {hasPasskey ? (
        <button
          type="button"
          className="c-button c-main"
          disabled={work.isBusy}
          onClick={() => void work.run(byPasskey)}
        >
          {m.console_use_passkey()}
        </button>
      ) : null}
      <EntryForm onSubmit={() => work.run(byCode)}>
        {takesCode ? (
          <Field
            key={String(isRecovery)}
            label={isRecovery ? m.console_recovery_code() : m.console_app_code()}
            {...(isRecovery ? {} : { inputMode: 'numeric' as const })}
            autoComplete="one-time-code"
            dir="ltr"
            value={text}
            error={work.fields.totp ?? work.fields.recovery_code}
            onText={setText}
          />
        ) : null}
        <Problem sentence={work.sentence} />
        {takesCode ? (
          <button type="submit" className={`c-button${hasPasskey ? '' : ' c-main'}`} disabled={work.isBusy}>
            {m.console_proceed()}
          </button>
        ) : null}
      </EntryForm>
      <div className="c-buttons">
        {signIn.recovery_code && !isRecovery ? (
          <button
            type="button"
            className="c-link"
            onClick={() => {
              setText('');
              setRecovery(true);
            }}
          >
            {m.console_use_recovery()}
          </button>
        ) : null}
        <button type="button" className="c-link" onClick={onRestart}>
          {m.console_other_email()}
        </button>
      </div>
    </>
  );
}

import { ApiError } from '@raha/contract/client.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { passkeyObstacle, signWithPasskey } from '../../../api/passkey.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import { PasswordField } from '../../auth/shared/password-field.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { factorsQuery, profileApi } from './profile-api.ts';

/** The password, a code by mail, a code of the authenticator app, or a signature of a passkey: one of them. */
export type Proof = NonNullable<NonNullable<Parameters<typeof profileApi.removeTotp>[0]>['body']>;
type Way = 'password' | 'code' | 'totp' | 'passkey';

interface ConfirmDialogProps {
  title: string;
  description: string;
  confirmLabel: string;
  isDanger?: boolean;
  profile: Profile;
  children?: ReactNode;
  /** Throws when it did not work; the dialog says why and stays. */
  onConfirm(proof: Proof): Promise<void>;
  onClose(): void;
}

/**
 * Asks for the password, or for a code by mail where there is none, before something that is not undone. Factors of the
 * account may be used instead.
 */
export default function ConfirmDialog({ title, description, profile, children, onClose, ...ask }: ConfirmDialogProps) {
  const usual: Way = profile.hasPassword ? 'password' : 'code';
  const [way, setWay] = useState<Way>(usual);
  const others = useFactorWays(usual).filter((other) => other !== way);
  return (
    <PanelSheet role="alertdialog" title={title} description={description} onClose={onClose}>
      <div className="grid gap-4">
        {children}
        {way === 'password' && <PasswordProof {...ask} onClose={onClose} />}
        {way === 'code' && <CodeProof {...ask} email={profile.email} onClose={onClose} />}
        {way === 'totp' && <CodeForm hint={m.totp_code_hint()} onCode={(totp) => ask.onConfirm({ totp })} />}
        {way === 'passkey' && <PasskeyProof {...ask} onClose={onClose} />}
        {others.length > 0 && (
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-text-2">
            {m.proof_other_ways()}
            {others.map((other) => (
              <button key={other} type="button" className="btn btn-quiet btn-sm" onClick={() => setWay(other)}>
                {names[other]()}
              </button>
            ))}
          </p>
        )}
      </div>
    </PanelSheet>
  );
}

const names: Readonly<Record<Way, () => string>> = {
  password: m.proof_password,
  code: m.proof_code,
  totp: m.proof_totp,
  passkey: m.proof_passkey,
};

/** Without an answer about the factors the usual way remains. */
function useFactorWays(usual: Way): Way[] {
  const factors = useQuery(factorsQuery).data;
  return [
    usual,
    ...(factors?.totp ? (['totp'] as const) : []),
    ...(factors && factors.passkeys.length > 0 && !passkeyObstacle() ? (['passkey'] as const) : []),
  ];
}

type Ask = Pick<ConfirmDialogProps, 'confirmLabel' | 'isDanger' | 'onConfirm' | 'onClose'>;

function PasswordProof({ confirmLabel, isDanger = false, onConfirm, onClose }: Ask) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const confirm = async () => {
    if (busy) return;
    if (password === '') {
      setProblem(m.confirm_password_text());
      field.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm({ password });
    } catch (error) {
      setProblem((error instanceof ApiError && error.fields.password) || errorSentence(error));
      field.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <PasswordField
        ref={field}
        name="password"
        value={password}
        label={m.current_password_label()}
        autoComplete="current-password"
        problem={problem}
        onText={setPassword}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={busy} className={`btn ${isDanger ? 'btn-danger' : 'btn-primary'} flex-1`}>
          {confirmLabel}
        </Button>
        <Button className="btn btn-ghost flex-1" onClick={onClose}>
          {m.cancel()}
        </Button>
      </div>
    </form>
  );
}

function CodeProof({ email, onConfirm, onClose }: Ask & { email: string }) {
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await profileApi.sendConfirmation();
      setSent(true);
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  if (isSent) return <CodeForm onCode={(code) => onConfirm({ code })} />;
  return (
    <>
      <p className="text-sm text-text-2 [overflow-wrap:anywhere]">
        {m.confirm_code_text({ email: `\u2066${email}\u2069` })}
      </p>
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3">
        <Button className="btn btn-primary flex-1" busy={busy} onClick={() => void send()}>
          {m.confirm_send_code()}
        </Button>
        <Button className="btn btn-ghost flex-1" onClick={onClose}>
          {m.cancel()}
        </Button>
      </div>
    </>
  );
}

function PasskeyProof({ confirmLabel, isDanger = false, onConfirm, onClose }: Ask) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { data } = await profileApi.startConfirmationByPasskey();
      await onConfirm({ passkey: await signWithPasskey(data.options) });
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3">
        <Button
          className={`btn ${isDanger ? 'btn-danger' : 'btn-primary'} flex-1`}
          busy={busy}
          onClick={() => void confirm()}
        >
          {busy ? m.passkey_waiting() : confirmLabel}
        </Button>
        <Button className="btn btn-ghost flex-1" onClick={onClose}>
          {m.cancel()}
        </Button>
      </div>
    </>
  );
}

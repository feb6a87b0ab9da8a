import { ApiError } from '@raha/contract/client.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { type ReactNode, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import { PasswordField } from '../../auth/shared/password-field.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { profileApi } from './profile-api.ts';

type Proof = { password: string } | { code: string };

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

/** Asks for the password, or for a code by mail where there is none, before something that is not undone. */
export default function ConfirmDialog({ title, description, profile, children, onClose, ...ask }: ConfirmDialogProps) {
  return (
    <PanelSheet role="alertdialog" title={title} description={description} onClose={onClose}>
      <div className="grid gap-4">
        {children}
        {profile.hasPassword ? (
          <PasswordProof {...ask} onClose={onClose} />
        ) : (
          <CodeProof {...ask} email={profile.email} onClose={onClose} />
        )}
      </div>
    </PanelSheet>
  );
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

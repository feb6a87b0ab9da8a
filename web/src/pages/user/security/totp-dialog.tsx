import { Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import ConfirmDialog from '../profile/confirm-dialog.tsx';
import { profileApi } from '../profile/profile-api.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { copyText } from './copy-text.ts';
import type { FactorDialogProps } from './factor-action.ts';

const QrCode = lazy(() => import('../../../ui/qr-code.tsx'));

/** Confirm, scan or type the secret, and prove by its first code that the app has it. */
export function TotpDialog({ profile, onDone, onClose }: FactorDialogProps) {
  const [setup, setSetup] = useState<{ secret: string; uri: string }>();
  if (!setup) {
    return (
      <ConfirmDialog
        title={m.totp_set_up()}
        description={m.totp_set_up_question()}
        confirmLabel={m.proceed()}
        profile={profile}
        onConfirm={async (proof) => setSetup((await profileApi.startTotp({ body: proof })).data)}
        onClose={onClose}
      />
    );
  }
  const confirm = async (code: string) => {
    const { data } = await profileApi.confirmTotp({ body: { code } });
    onDone(m.totp_enabled(), data.recovery_codes);
  };
  return (
    <PanelSheet
      title={m.totp_scan_title()}
      description={m.totp_scan_text()}
      night={<Picture uri={setup.uri} />}
      onClose={onClose}
    >
      <div className="grid gap-5">
        <Secret secret={setup.secret} />
        <CodeForm hint={m.totp_code_hint()} onCode={confirm} />
      </div>
    </PanelSheet>
  );
}

/** Drawn here: the secret leaves the browser for no service. */
function Picture({ uri }: { uri: string }) {
  return (
    <div className="grid place-items-center mt-5">
      <Suspense fallback={<div className="size-52 rounded-md bg-[oklch(1_0_0/.12)]" aria-hidden />}>
        <QrCode text={uri} label={m.totp_qr()} className="size-52 max-w-full" />
      </Suspense>
    </div>
  );
}

function Secret({ secret }: { secret: string }) {
  const groups = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  return (
    <div>
      <p className="text-sm font-semibold text-text-2">{m.totp_secret()}</p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 mt-1">
        <code dir="ltr" className="flex-1 min-w-48 font-code text-sm [overflow-wrap:anywhere]">
          {groups}
        </code>
        <Button
          className="btn btn-ghost btn-sm"
          aria-label={m.totp_secret_copy()}
          onClick={() => void copyText(secret)}
        >
          <Copy className="size-4" aria-hidden />
          {m.recovery_copy()}
        </Button>
      </div>
    </div>
  );
}

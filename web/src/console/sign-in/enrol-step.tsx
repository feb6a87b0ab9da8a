import type { StaffSignIn } from '@raha/contract/admin/sessions.ts';
import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { createPasskey, passkeyObstacle } from '../../api/passkey.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { CodeField } from '../field.tsx';
import { Lead } from '../lead.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { EntryForm } from './entry-form.tsx';

const QrCode = lazy(() => import('../../ui/qr-code.tsx'));

interface Props {
  readonly signIn: StaffSignIn;
  /** With the recovery codes, if the account has got its first ones. */
  onEnrolled(codes: readonly string[] | null): void;
}

/** The first factor: a passkey of this device, or an app. */
export function EnrolStep({ signIn, onEnrolled }: Props) {
  const [app, setApp] = useState<{ readonly secret: string; readonly uri: string }>();
  const work = useWork();
  const byPasskey = async () => {
    const { data } = await api.startFirstPasskey();
    const credential = await createPasskey(data.options);
    const added = await api.addFirstPasskey({ body: { name: m.console_passkey_name(), credential } });
    onEnrolled(added.data.recovery_codes);
  };
  if (app) return <AppStep app={app} onEnrolled={onEnrolled} />;
  return (
    <>
      <Lead title={m.console_enrol_title()} text={m.console_enrol_text()} />
      <div className="c-ways">
        {signIn.passkeys_work && !passkeyObstacle() ? (
          <div>
            <button
              type="button"
              className="c-button c-main"
              disabled={work.isBusy}
              onClick={() => void work.run(byPasskey)}
            >
              {m.console_enrol_passkey()}
            </button>
            <p className="c-hint">{m.console_enrol_passkey_text()}</p>
          </div>
        ) : null}
        <div>
          <button
            type="button"
            className="c-button"
            disabled={work.isBusy}
            onClick={() => void work.run(async () => setApp((await api.startFirstApp()).data))}
          >
            {m.console_enrol_app()}
          </button>
          <p className="c-hint">{m.console_enrol_app_text()}</p>
        </div>
      </div>
      <Problem sentence={work.sentence} />
    </>
  );
}

interface AppProps extends Pick<Props, 'onEnrolled'> {
  readonly app: { readonly secret: string; readonly uri: string };
}

/** The picture is drawn here: the secret leaves the browser for no service. */
function AppStep({ app: { secret, uri }, onEnrolled }: AppProps) {
  const [code, setCode] = useState('');
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  const work = useWork();
  const confirm = async () => onEnrolled((await api.confirmFirstApp({ body: { code } })).data.recovery_codes);
  return (
    <>
      <Lead title={m.console_enrol_app()} text={m.console_app_scan()} />
      <Suspense fallback={<div className="c-picture" />}>
        <QrCode text={uri} label={m.console_app_picture()} className="c-picture" />
      </Suspense>
      <p>
        {m.console_app_secret()}{' '}
        <bdi dir="ltr" className="c-code c-secret">
          {secret.match(/.{1,4}/g)?.join(' ')}
        </bdi>
      </p>
      <div ref={form}>
        <EntryForm onSubmit={() => work.run(confirm)}>
          <CodeField label={m.console_app_code()} value={code} error={work.fields.code} onText={setCode} />
          <Problem sentence={work.sentence} />
          <button type="submit" className="c-button c-main" disabled={work.isBusy}>
            {m.console_proceed()}
          </button>
        </EntryForm>
      </div>
    </>
  );
}

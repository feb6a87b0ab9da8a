import { Fingerprint } from 'lucide-react';
import { useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { passkeyObstacle, signWithPasskey } from '../../../api/passkey.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { useEnter } from './use-enter.ts';

/** Signs in with a passkey alone; not shown where the browser can have none. */
export function PasskeyButton() {
  const enter = useEnter();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (passkeyObstacle()) return null;
  const signIn = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      const { data } = await visitorApi.startPasskeySignIn();
      const credential = await signWithPasskey(data.options);
      const { message, ...session } = await visitorApi.signInWithPasskey({ body: { credential } });
      enter(session, message);
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <div className="mt-2">
      <Button className="btn btn-quiet btn-sm w-full" busy={busy} onClick={() => void signIn()}>
        <Fingerprint className="size-4" aria-hidden />
        {busy ? m.passkey_waiting() : m.sign_in_with_passkey()}
      </Button>
      <FieldNote problem={problem} />
    </div>
  );
}

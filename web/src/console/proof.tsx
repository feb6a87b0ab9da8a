import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { passkeyObstacle, signWithPasskey } from '../api/passkey.ts';
import { m } from '../text/generated/messages.js';
import { api, hasCode } from './api.ts';
import { CodeField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useWork } from './use-work.ts';

/** Does an act; if it needs a fresh proof, asks for one and does it again. False if the member declined to prove anything. */
type WithProof = (act: () => Promise<unknown>) => Promise<boolean>;

const Context = createContext<WithProof>(async () => false);

export function useProof(): WithProof {
  return useContext(Context);
}

export function ProofProvider({ children, onProved }: { children: ReactNode; onProved: (until: string) => void }) {
  const [isAsking, setAsking] = useState(false);
  const answer = useRef<(proved: boolean) => void>(() => undefined);
  const withProof = useMemo<WithProof>(
    () => async (act) => {
      try {
        await act();
        return true;
      } catch (error) {
        if (!hasCode(error, 'proof_needed')) throw error;
      }
      setAsking(true);
      const isProved = await new Promise<boolean>((resolve) => {
        answer.current = resolve;
      });
      setAsking(false);
      if (isProved) await act();
      return isProved;
    },
    [],
  );
  return (
    <Context.Provider value={withProof}>
      {children}
      {isAsking ? (
        <ProofDialog
          onProved={(until) => {
            onProved(until);
            answer.current(true);
          }}
          onClose={() => answer.current(false)}
        />
      ) : null}
    </Context.Provider>
  );
}

function ProofDialog({ onProved, onClose }: { onProved: (until: string) => void; onClose: () => void }) {
  const [totp, setTotp] = useState('');
  const work = useWork();
  const byPasskey = async () => {
    const { data } = await api.startStaffProof();
    const credential = await signWithPasskey(data.options);
    onProved((await api.proveStaff({ body: { credential } })).data.proved_until);
  };
  return (
    <FormDialog
      title={m.console_proof_title()}
      button={m.console_proceed()}
      look=""
      work={work}
      isReady={totp.trim() !== ''}
      onSubmit={async () => onProved((await api.proveStaff({ body: { totp } })).data.proved_until)}
      onClose={onClose}
    >
      <p>{m.console_proof_text()}</p>
      {passkeyObstacle() ? null : (
        <button type="button" className="c-button c-main" onClick={() => void work.run(byPasskey)}>
          {m.console_use_passkey()}
        </button>
      )}
      <CodeField label={m.console_app_code()} value={totp} error={work.fields.totp} onText={setTotp} />
    </FormDialog>
  );
}

import type { StaffSelf } from '@raha/contract/admin/sessions.ts';
import { useCallback, useEffect, useState } from 'react';
import { m } from '../text/generated/messages.js';
import { brandName } from '../text/site-values.ts';
import { api, hasCode } from './api.ts';
import { Failure } from './failure.tsx';
import { ProofProvider } from './proof.tsx';
import { SessionOver } from './session-over.ts';
import { Shell } from './shell.tsx';
import { SignInScreen } from './sign-in/sign-in-screen.tsx';

type State = 'checking' | 'visitor' | 'over' | { readonly self: StaffSelf } | { readonly error: unknown };

/** Signed in or not: only the server knows, because no script reads the cookie. */
export function App() {
  const [state, setState] = useState<State>('checking');
  const setOver = useCallback(() => setState('over'), []);
  const check = useCallback(async () => {
    try {
      setState({ self: (await api.getStaffSelf()).data });
    } catch (error) {
      setState(hasCode(error, 'unauthenticated') ? 'visitor' : { error });
    }
  }, []);
  useEffect(() => {
    document.title = `${m.console()} | ${brandName()}`;
    void check();
  }, [check]);
  if (state === 'checking') return <p className="c-waiting">{m.console_loading()}</p>;
  if (state === 'visitor' || state === 'over')
    return <SignInScreen wasSignedIn={state === 'over'} onSignedIn={() => void check()} />;
  if ('error' in state) return <Failure error={state.error} onRetry={() => void check()} />;
  return (
    <ProofProvider onProved={(provedUntil) => setState({ self: { ...state.self, proved_until: provedUntil } })}>
      <SessionOver.Provider value={setOver}>
        <Shell self={state.self} onSignedOut={() => setState('visitor')} />
      </SessionOver.Provider>
    </ProofProvider>
  );
}

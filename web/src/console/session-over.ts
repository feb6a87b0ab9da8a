import { createContext, useContext, useEffect } from 'react';
import { hasCode } from './api.ts';

/** What happens when the server no longer knows the session of the member. */
export const SessionOver = createContext<() => void>(() => {});

/** Every reading of a screen tells its error here, so that no screen has to. */
export function useSessionOver(error: unknown): void {
  const onOver = useContext(SessionOver);
  useEffect(() => {
    if (hasCode(error, 'unauthenticated')) onOver();
  }, [error, onOver]);
}

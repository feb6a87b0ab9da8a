import type { CallOptions } from '@raha/contract/client.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { now } from '../api/clock.ts';
import { useSessionOver } from './session-over.ts';

/** What is read again and again while somebody looks: the last answer, when it came, and why the next one did not. */
export interface Live<T> {
  readonly data: T | undefined;
  readonly at: number | undefined;
  readonly error: unknown;
  reload(): void;
}

/** Says that nobody asked: what reads by itself keeps no session open. */
const poll: CallOptions = { headers: { 'x-raha-poll': '1' } };

/** Reads at once, every so many seconds while the page is visible, and when it becomes visible again; the latest reading counts. */
export function useLive<T>(key: string, seconds: number, read: (options: CallOptions) => Promise<T>): Live<T> {
  const [state, setState] = useState<{ data?: T; at?: number; error?: unknown }>({});
  const reader = useRef(read);
  reader.current = read;
  const turn = useRef(0);
  const ask = useCallback((options: CallOptions) => {
    turn.current += 1;
    const own = turn.current;
    reader.current(options).then(
      (data) => own === turn.current && setState({ data, at: now() }),
      (error: unknown) => own === turn.current && setState((before) => ({ ...before, error })),
    );
  }, []);
  const reload = useCallback(() => ask({}), [ask]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when to begin anew
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') ask(poll);
    };
    reload();
    const timer = setInterval(look, seconds * 1000);
    document.addEventListener('visibilitychange', look);
    return () => {
      turn.current += 1;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [key, seconds]);
  useSessionOver(state.error);
  return { data: state.data, at: state.at, error: state.error, reload };
}

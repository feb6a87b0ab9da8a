import { useCallback, useEffect, useRef, useState } from 'react';
import { useSessionOver } from './session-over.ts';

/** What a screen reads: nothing yet, the answer, or why there is none. The last answer stays while another one is on its way. */
export interface Answered<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

interface State<T> {
  /** What was asked for. */
  readonly key: string;
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
}

/** Reads anew whenever `key` changes; an answer that comes too late is dropped. */
export function useAnswer<T>(key: string, read: () => Promise<T>): Answered<T> {
  const [state, setState] = useState<State<T>>({ key, isLoading: true });
  const latest = useRef(0);
  const current = useRef({ key, read });
  current.current = { key, read };
  const reload = useCallback(() => {
    latest.current += 1;
    const turn = latest.current;
    const of = current.current;
    setState(({ data }) => ({ key: of.key, data, isLoading: true }));
    const keep = (change: (before: State<T>) => State<T>) => {
      if (turn === latest.current) setState(change);
    };
    of.read().then(
      (data) => keep(() => ({ key: of.key, data, isLoading: false })),
      (error: unknown) => keep(({ data }) => ({ key: of.key, data, error, isLoading: false })),
    );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when to read again
  useEffect(reload, [key]);
  useSessionOver(state.error);
  // A new key is drawn once before its reading begins.
  return { data: state.data, error: state.error, isLoading: state.isLoading || state.key !== key, reload };
}

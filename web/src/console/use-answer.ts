import { useCallback, useEffect, useRef, useState } from 'react';
import { useSessionOver } from './session-over.ts';

/** What a screen reads: nothing yet, the answer, or why there is none. The last answer stays while another one is on its way. */
export interface Answered<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/** Reads anew whenever `key` changes; an answer that comes too late is dropped. */
export function useAnswer<T>(key: string, read: () => Promise<T>): Answered<T> {
  const [state, setState] = useState<{ data?: T | undefined; error?: unknown; isLoading: boolean }>({
    isLoading: true,
  });
  const latest = useRef(0);
  const reader = useRef(read);
  reader.current = read;
  const reload = useCallback(() => {
    latest.current += 1;
    const turn = latest.current;
    setState(({ data }) => ({ data, isLoading: true }));
    reader.current().then(
      (data) => turn === latest.current && setState({ data, isLoading: false }),
      (error: unknown) => turn === latest.current && setState(({ data }) => ({ data, error, isLoading: false })),
    );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when to read again
  useEffect(reload, [key]);
  useSessionOver(state.error);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}

import { ApiError } from '@raha/contract/client.ts';
import { useState } from 'react';
import { errorSentence } from '../api/error-sentence.ts';

/** One piece of work at a time, and why the last one failed. */
export interface Work {
  readonly isBusy: boolean;
  readonly sentence: string;
  /** By field of the form. */
  readonly fields: Readonly<Record<string, string>>;
  run(work: () => Promise<void>): Promise<void>;
}

export function useWork(): Work {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const fields = error instanceof ApiError ? error.fields : {};
  return {
    isBusy,
    fields,
    sentence: error === undefined || Object.keys(fields).length > 0 ? '' : errorSentence(error),
    async run(work) {
      if (isBusy) return;
      setBusy(true);
      setError(undefined);
      try {
        await work();
      } catch (failure) {
        setError(failure);
      } finally {
        setBusy(false);
      }
    },
  };
}

import { SAMPLE_ID } from './sample-id.ts';

/**
 * Sample data: a mode that the operator switches on for tests (`SAMPLE_DATA=on`); off by default, refused in
 * production. If a call of wallet, payments, charge or dashboard fails, the screens show samples and say so. The server
 * is not involved, so no sample reaches the ledger.
 */
export function isSampleMode(): boolean {
  // Without a document (in tests) there is no setting to read.
  const shell = globalThis.document?.querySelector<HTMLMetaElement>('meta[name=application-name]');
  return shell?.dataset.sampleData === 'on';
}

/** `fetch` that returns samples when there is no response or a server error. A refusal is passed on. */
export function withSamples(send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const answer = async () => {
      const { sampleAnswer } = await import('./sample-data.ts');
      return sampleAnswer(init.method ?? 'GET', String(input), init.body);
    };
    // A flow that began with a sample continues with samples.
    if (typeof init.body === 'string' && init.body.includes(SAMPLE_ID)) {
      const sample = await answer();
      if (sample) {
        noteSample(String(input), true);
        return sample;
      }
    }
    let failure: unknown;
    const response = await send(input, init).catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    if (response && response.status < 500) {
      noteSample(String(input), false);
      return response;
    }
    const sample = init.signal?.aborted ? undefined : await answer();
    if (sample) {
      noteSample(String(input), true);
      return sample;
    }
    if (response) return response;
    throw failure;
  };
}

const used = new Set<string>();
const listeners = new Set<() => void>();

function noteSample(url: string, isSample: boolean): void {
  const before = used.size;
  const path = url.split('?')[0] ?? url;
  if (isSample) used.add(path);
  else used.delete(path);
  if (used.size !== before) for (const listener of listeners) listener();
}

/** Whether any data in the cache is a sample. */
export function usesSamples(): boolean {
  return used.size > 0;
}

export function watchSamples(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

import { ApiError } from '@raha/contract/client.ts';
import type { Answer } from '@raha/contract/endpoint.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../../api/client.ts';
import { errorSentence } from '../../../../api/error-sentence.ts';
import { navigate } from '../../../../routes/navigation.ts';
import { m } from '../../../../text/generated/messages.js';

type Charge = Answer<typeof publicEndpoints.verifyCharge>;
export type ChargeOutcome =
  | { readonly kind: 'checking'; readonly sentence?: string }
  | { readonly kind: 'done'; readonly charge: Charge }
  | { readonly kind: 'failed'; readonly sentence: string };

const PAUSES_MS = [2_000, 3_000, 5_000, 8_000];

/** Asks until the bank's answer is final. Silence is never a failure: the money may be on its way. */
export function useVerifiedCharge(payment: string): ChargeOutcome {
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<ChargeOutcome>({ kind: 'checking' });

  useEffect(() => {
    const stopped = new AbortController();
    const settle = (final: ChargeOutcome) => {
      setOutcome(final);
      refreshMoney(queries);
      void navigate({ to: paths.charge, search: {}, replace: true });
    };
    const ask = async (tries: number) => {
      try {
        settle({ kind: 'done', charge: await api.verifyCharge({ body: { transaction_id: payment } }) });
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (isFinal(error)) return settle({ kind: 'failed', sentence: errorSentence(error, m.charge_verify_failed()) });
        setOutcome({ kind: 'checking', sentence: errorSentence(error, m.charge_verify_failed()) });
        const timer = setTimeout(() => void ask(tries + 1), PAUSES_MS[tries] ?? 10_000);
        stopped.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      }
    };
    void ask(0);
    return () => stopped.abort();
  }, [payment, queries]);

  return outcome;
}

function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error.code === 'payment_pending' || error.code === 'gateway_unavailable') return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

function refreshMoney(queries: QueryClient): void {
  for (const key of ['wallet', 'me', 'configs']) void queries.invalidateQueries({ queryKey: [key] });
}

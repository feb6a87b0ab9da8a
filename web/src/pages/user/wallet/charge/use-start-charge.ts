import { ApiError } from '@raha/contract/client.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { useRef, useState } from 'react';
import { api } from '../../../../api/client.ts';
import { errorSentence } from '../../../../api/error-sentence.ts';
import { m } from '../../../../text/generated/messages.js';
import { createAttempts } from './attempts.ts';

/** While the bank's page loads; a user who comes back may start anew. */
const LEAVING_MS = 8_000;

/** Starts a payment and goes to the bank. Answers with what is wrong with a field; anything else is `problem`. */
export function useStartCharge() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [attempts] = useState(() => createAttempts(() => crypto.randomUUID()));
  const leaving = useRef(false);

  const start = async (body: { amount: number; payment_method: GatewayName }) => {
    if (leaving.current) return undefined;
    leaving.current = true;
    setProblem(undefined);
    setBusy(true);
    try {
      const answer = await api.chargeWallet({ body }, { headers: { 'Idempotency-Key': attempts.keyFor(body) } });
      if (!answer.payment_url) throw new ApiError(502, 'unknown', m.charge_failed());
      location.assign(answer.payment_url);
      await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
      attempts.over();
      return undefined;
    } catch (error) {
      // Without an answer the attempt may have been registered: the same key makes the retry the same payment.
      if (error instanceof ApiError && error.code !== 'network' && error.status < 500) attempts.over();
      if (error instanceof ApiError && error.fields.amount) return { amount: error.fields.amount };
      setProblem(errorSentence(error, m.charge_failed()));
      return undefined;
    } finally {
      leaving.current = false;
      setBusy(false);
    }
  };
  return { start, busy, problem };
}

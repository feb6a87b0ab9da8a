import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { PanelSheet } from '../configs/panel-sheet.tsx';

/** Cancelling cannot be taken back, so it says first what comes back. */
export function CancelDialog({ subscription, onClose }: { subscription: Subscription; onClose(): void }) {
  const queries = useQueryClient();
  const keep = useRef<HTMLButtonElement>(null);
  const running = useRef(false);
  const [key] = useState(() => crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const cancel = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      const headers = { 'Idempotency-Key': key };
      const { data } = await api.cancelSubscription({ params: { id: subscription.id } }, { headers });
      toast(m.plan_cancelled({ amount: toman(data.credited) }));
      for (const name of ['subscriptions', 'wallet', 'me', 'configs'])
        void queries.invalidateQueries({ queryKey: [name] });
      onClose();
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  return (
    <PanelSheet
      role="alertdialog"
      title={m.plan_cancel()}
      description={m.plan_cancel_question()}
      initialFocus={keep}
      onClose={onClose}
    >
      <p className="rounded-md bg-surface-2 px-4 py-3 flex items-baseline justify-between gap-4">
        {m.plan_cancel_credit()} <strong>{toman(subscription.refundable)}</strong>
      </p>
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3 mt-5">
        <Button className="btn btn-danger flex-1" busy={busy} onClick={() => void cancel()}>
          {m.plan_cancel()}
        </Button>
        <Button ref={keep} className="btn btn-ghost flex-1" onClick={onClose}>
          {m.plan_keep()}
        </Button>
      </div>
    </PanelSheet>
  );
}

import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { AskDialog } from '../shared/ask-dialog.tsx';

/** Cancelling cannot be taken back, so it says first what comes back. */
export function CancelDialog({ subscription, onClose }: { subscription: Subscription; onClose(): void }) {
  const queries = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());

  const cancel = async () => {
    const headers = { 'Idempotency-Key': key };
    const { data } = await api.cancelSubscription({ params: { id: subscription.id } }, { headers });
    toast(m.plan_cancelled({ amount: toman(data.credited) }));
    for (const name of ['subscriptions', 'wallet', 'me', 'configs'])
      void queries.invalidateQueries({ queryKey: [name] });
    onClose();
  };

  const isWaiting = subscription.status === 'scheduled';
  const title = isWaiting ? m.plan_next_cancel() : m.plan_cancel();
  return (
    <AskDialog
      title={title}
      description={questionOf(subscription)}
      confirmLabel={title}
      keepLabel={m.plan_keep()}
      failed={m.plan_cancel_failed()}
      onConfirm={cancel}
      onClose={onClose}
    >
      <p className="rounded-md bg-surface-2 px-4 py-3 flex items-baseline justify-between gap-4">
        {m.plan_cancel_credit()} <strong>{toman(subscription.refundable)}</strong>
      </p>
    </AskDialog>
  );
}

/** What happens, and by which rule what comes back is counted. */
function questionOf({ status, plan }: Subscription): string {
  if (status === 'scheduled') return m.plan_next_cancel_question();
  return plan.traffic_limit === null ? m.plan_cancel_unlimited_question() : m.plan_cancel_question();
}

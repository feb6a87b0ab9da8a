import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { CircleCheck, CircleX, Clock, RotateCcw } from 'lucide-react';
import { m } from '../../../text/generated/messages.js';
import { statuses } from './payment-words.ts';

const looks = {
  completed: { icon: CircleCheck, className: 'badge-quiet' },
  pending: { icon: Clock, className: 'bg-spark-soft text-spark-text' },
  failed: { icon: CircleX, className: 'bg-danger-soft text-danger' },
  cancelled: { icon: CircleX, className: 'bg-surface-2 text-text-2' },
  refunded: { icon: RotateCcw, className: 'bg-surface-2 text-text-2' },
} as const;

/** The status in words and a sign, never colour alone, and filled only when it is not the usual one. A refund that is under way says so. */
export function PaymentBadge({ payment: { status, refund } }: { payment: PaymentRecord }) {
  const returning = status === 'completed' && refund?.status === 'requested';
  const { icon: Icon, className } = looks[returning ? 'refunded' : status];
  return (
    <span className={`badge ${className}`}>
      <Icon className="size-3.5" aria-hidden />
      {returning ? m.refund_requested() : statuses[status]()}
    </span>
  );
}

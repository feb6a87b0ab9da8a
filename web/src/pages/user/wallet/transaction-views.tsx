import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { CircleCheck, CircleX, Clock, RotateCcw } from 'lucide-react';
import { dateTime, signedNumber } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

const statuses = {
  completed: { label: m.payment_completed, icon: CircleCheck, className: 'badge-quiet' },
  pending: { label: m.payment_pending, icon: Clock, className: 'bg-spark-soft text-spark-text' },
  failed: { label: m.payment_failed, icon: CircleX, className: 'bg-danger-soft text-danger' },
  cancelled: { label: m.payment_cancelled, icon: CircleX, className: 'bg-surface-2 text-text-2' },
  refunded: { label: m.payment_refunded, icon: RotateCcw, className: 'bg-surface-2 text-text-2' },
} as const;

const types = {
  wallet_charge: m.type_wallet_charge,
  gift_card: m.type_gift_card,
  usage: m.type_usage,
  refund: m.type_refund,
  subscription: m.type_subscription,
  transfer: m.type_transfer,
  adjustment: m.type_adjustment,
} as const;

interface ViewProps {
  lines: readonly WalletTransaction[];
}

export function TransactionTable({ lines }: ViewProps) {
  return (
    <table className="w-full mt-3 text-sm max-sm:hidden">
      <thead>
        <tr className="text-xs text-text-3 text-start">
          <th scope="col" className="font-medium text-start py-2">
            {m.column_date()}
          </th>
          <th scope="col" className="font-medium text-start py-2 px-4">
            {m.column_description()}
          </th>
          <th scope="col" className="font-medium text-start py-2 px-4">
            {m.column_status()}
          </th>
          <th scope="col" className="font-medium text-end py-2">
            {m.column_amount()}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id} className="border-t border-line">
            <td className="py-3 text-text-2 whitespace-nowrap">
              <time dateTime={line.created_at}>{dateTime(line.created_at)}</time>
            </td>
            <td className="py-3 px-4">
              <Description line={line} />
            </td>
            <td className="py-3 px-4">
              <Status status={line.status} />
            </td>
            <td className="num py-3 text-end whitespace-nowrap">
              <Amount line={line} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TransactionCards({ lines }: ViewProps) {
  return (
    <div className="sm:hidden">
      <TransactionLines lines={lines} />
    </div>
  );
}

/** One under the other, for narrow places. */
export function TransactionLines({ lines }: ViewProps) {
  return (
    <ul className="mt-2 divide-y divide-line">
      {lines.map((line) => (
        <li key={line.id} className="py-3.5">
          <div className="flex items-start justify-between gap-4 text-sm">
            <Description line={line} />
            <Amount line={line} />
          </div>
          <div className="flex items-center justify-between gap-4 mt-2 text-xs text-text-3">
            <time dateTime={line.created_at}>{dateTime(line.created_at)}</time>
            <Status status={line.status} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Description({ line }: { line: WalletTransaction }) {
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      <bdi className="font-medium">{line.description || types[line.type]()}</bdi>
    </span>
  );
}

/** Money that never moved (failed, cancelled) is told apart from money that did. */
function Amount({ line }: { line: WalletTransaction }) {
  const moved = line.status === 'completed' || line.status === 'refunded';
  const colour = !moved ? 'text-text-3' : line.amount < 0 ? 'text-danger' : 'text-success';
  return (
    <span className={`font-bold shrink-0 ${colour}`}>
      <bdi>{signedNumber(line.amount)}</bdi> <span className="text-xs font-medium">{m.toman_unit()}</span>
    </span>
  );
}

function Status({ status }: { status: WalletTransaction['status'] }) {
  const { label, icon: Icon, className } = statuses[status];
  return (
    <span className={`badge ${className}`}>
      <Icon className="size-3.5" aria-hidden />
      {label()}
    </span>
  );
}

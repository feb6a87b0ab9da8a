import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { readOrigin } from './card-money.ts';
import { shownStatus } from './confirm-payment.ts';
import { type RefundRow, selectLatestRefunds } from './refund-tables.ts';
import { selectReversed } from './reversal-tables.ts';
import { decideRefundable, type RefundState, refundableUntil } from './rules.ts';
import { minRefundToman, refundArrivalDays } from './settings.ts';
import { type PaymentRow, selectPayments } from './tables.ts';

interface Deps {
  readonly db: Executor;
  readonly clock: Clock;
}

/** A user's gateway payments by id, as they are shown. Ids of other users' payments are left out. */
export async function describePayments(
  deps: Deps,
  userId: string,
  ids: readonly string[],
  locale: Locale,
): Promise<Map<string, PaymentRecord>> {
  if (ids.length === 0) return new Map();
  const rows = (await selectPayments(deps.db, ids)).filter((row) => row.user_id === userId);
  if (rows.length === 0) return new Map();
  const [refunds, reversed, accounts] = await Promise.all([
    selectLatestRefunds(deps.db, ids),
    selectReversed(deps.db, ids),
    getUserAccounts(deps.db, userId),
  ]);
  const now = deps.clock.now();
  const balanceToman = accounts.walletToman + accounts.leaseToman;
  const { cardToman } = await readOrigin(deps.db, userId, balanceToman);
  const minToman = BigInt(await getSetting(deps.db, minRefundToman));
  const arrivalDays = await getSetting(deps.db, refundArrivalDays);
  return new Map(
    rows.map((row) => {
      const refund = refunds.get(row.id);
      const refundable = decideRefundable(
        { state: row.state, amountToman: row.amount_toman, settledAt: row.settled_at },
        { balanceToman, cardToman, minToman, refund: refund?.state, reversed: reversed.has(row.id), now },
      );
      return [row.id, describe(row, { refund, reversed: reversed.has(row.id), refundable, arrivalDays }, locale)];
    }),
  );
}

function describe(
  row: PaymentRow,
  more: { refund: RefundRow | undefined; reversed: boolean; refundable: bigint; arrivalDays: number },
  locale: Locale,
): PaymentRecord {
  const { refund, refundable } = more;
  const title = gatewayTitles[row.gateway][locale];
  const changed = refund?.settled_at ?? refund?.sent_at ?? refund?.created_at ?? row.settled_at ?? row.created_at;
  return {
    id: row.id,
    paymentId: row.id,
    reference_id: row.ref_id,
    amount: toWire(row.amount_toman),
    type: 'wallet_charge',
    purpose: 'wallet_charge',
    status: isBack(more) ? 'refunded' : shownStatus(row.state),
    gateway: row.gateway,
    paymentMethod: { provider: row.gateway, title },
    description: locale === 'fa' ? `شارژ کیف پول با ${title}` : `Wallet charge by ${title}`,
    tracking_code: row.gateway_reference,
    receipt_url: row.state === 'completed' ? `/api/v1/payments/${row.id}/receipt` : null,
    refundable: refundable > 0n,
    refundable_amount: toWire(refundable),
    refundable_until: refundable > 0n && row.settled_at ? refundableUntil(row.settled_at).toISOString() : null,
    refund_arrival_days: refundable > 0n ? more.arrivalDays : null,
    cancellable: row.state === 'created' || row.state === 'redirected',
    refund: refund
      ? {
          id: refund.id,
          status: shownRefund[refund.state],
          amount: toWire(refund.amount_toman),
          tracking_code: refund.tracking,
          created_at: refund.created_at.toISOString(),
        }
      : null,
    created_at: row.created_at.toISOString(),
    updated_at: changed.toISOString(),
  };
}

/** Users see "requested" until the money is on its way. An unknown outcome is the operator's to resolve, not theirs. */
const shownRefund = {
  requested: 'requested',
  unknown: 'requested',
  sent: 'sent',
  confirmed: 'confirmed',
  failed: 'failed',
} as const satisfies Record<RefundState, string>;

function isBack({ refund, reversed }: { refund: RefundRow | undefined; reversed: boolean }): boolean {
  return reversed || refund?.state === 'sent' || refund?.state === 'confirmed';
}

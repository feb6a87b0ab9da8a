import { addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { firstIdOf } from '../../platform/random.ts';
import { selectCalls } from './gateway-tables.ts';
import { selectOpenRefunds } from './refund-tables.ts';
import type { GatewayCalls } from './rules.ts';
import { selectRecentPayments, selectReviewCount } from './tables.ts';

/** How payments went in the last minutes, and what waits for the operator. */
export interface PaymentFigures {
  /** Of the last half hour. */
  readonly started: number;
  readonly completed: number;
  readonly toReview: number;
  readonly refundsUnknown: number;
  readonly refundsByHand: number;
  /** Of the last ten minutes, by gateway. */
  readonly calls: ReadonlyMap<string, GatewayCalls>;
}

export async function readPaymentFigures(db: Executor, now: Date): Promise<PaymentFigures> {
  const recent = await selectRecentPayments(db, firstIdOf(addSeconds(now, -1_800)));
  const refunds = await selectOpenRefunds(db);
  return {
    ...recent,
    toReview: await selectReviewCount(db),
    refundsUnknown: refunds.unknown,
    refundsByHand: refunds.byHand,
    calls: await selectCalls(db, addSeconds(now, -600)),
  };
}

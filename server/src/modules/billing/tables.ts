import { sql } from 'kysely';
import { prepare } from '../../platform/statements.ts';
import { type LiveMeter, liveMetersOf, usedOf } from '../metering/leases.ts';
import { hadPeriodOf, openPeriodsOf, type toPeriod } from '../subscriptions/plans.ts';

/** Statements over what other modules keep, in their words. Billing has no table of its own. */

/** A period with its used bytes and the user's live configs, or none, and whether an earlier one has ended. */
export type FoundPeriod = Parameters<typeof toPeriod>[0] & {
  readonly past: boolean;
  readonly used: bigint | null;
  readonly live: readonly LiveMeter[] | null;
};

/** The running and future periods of a user; one row without a period if there is none, for which nothing else is looked up. */
export const planPeriods = prepare<{ userId: string; now: Date }, FoundPeriod>(
  ({ userId, now }) => sql`
    SELECT p.*, had.past, CASE WHEN p.id IS NOT NULL THEN ${usedOf('p.id')} END AS used,
      CASE WHEN p.id IS NOT NULL THEN ${liveMetersOf(userId)} END AS live
    FROM (SELECT ${hadPeriodOf(userId, now)} AS past) had LEFT JOIN ${openPeriodsOf(userId, now)} p ON true
    ORDER BY p."startsAt", p.id
  `,
);

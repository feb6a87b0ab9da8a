import { sql } from 'kysely';
import { prepare } from '../../platform/statements.ts';
import { hadPeriodOf, openPeriodsOf, type toPeriod } from '../subscriptions/plans.ts';

/** Statements over what other modules keep, in their words. Billing has no table of its own. */

/** A period, or none, and whether an earlier one has ended. */
export type FoundPeriod = Parameters<typeof toPeriod>[0] & { readonly past: boolean };

/** The running and future periods of a user; one row without a period if there is none. */
export const planPeriods = prepare<{ userId: string; now: Date }, FoundPeriod>(
  ({ userId, now }) => sql`
    SELECT p.*, had.past
    FROM (SELECT ${hadPeriodOf(userId, now)} AS past) had LEFT JOIN ${openPeriodsOf(userId, now)} p ON true
    ORDER BY p."startsAt", p.id
  `,
);

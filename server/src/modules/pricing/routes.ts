import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PriceVersion, priceCalls } from '@raha/contract/admin/prices.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { decideInForce, isPlanned } from '../../platform/versions.ts';
import { getUsers } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { findSecond } from '../staff/second-member.ts';
import { cancelPrice } from './change-price.ts';
import { getCentsPerGb } from './price-versions.ts';
import { requestPrice } from './request-price.ts';
import { selectNewest, selectVersions, type VersionRow } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly exchangeRate: ExchangeRateSource;
}

/** What a gigabyte costs, cost and will cost, and changes of it. */
export function priceRoutes(deps: Deps): AdminHandlers<typeof priceCalls> {
  const { db, clock } = deps;
  return {
    async listPrices({ caller }) {
      const now = clock.now();
      const rows = await selectVersions(db, staffLimits.prices.listed);
      const newest = await selectNewest(db);
      const inForce = decideInForce(newest, now);
      return {
        success: true,
        data: {
          usd_cents_per_gb: inForce?.usdCentsPerGb ?? (await getCentsPerGb(db, now)),
          versions: await describeVersions(db, rows, (row) => stateOf(row, inForce, now)),
          seen: newest[0]?.id ?? null,
          rate: (await deps.exchangeRate.current(db))?.tomanPerUsd ?? null,
          second: await findSecond(db, actorOf(caller)),
        },
      };
    },
    async changePrice({ caller, body }) {
      const { usd_cents_per_gb: usdCentsPerGb, from, seen, reason } = body;
      const order = { usdCentsPerGb, from: from === undefined ? undefined : new Date(from), seen, reason };
      const { outcome, id, from: holds } = await requestPrice(deps, { actor: actorOf(caller), ...order });
      return { success: true, data: { outcome, id, from: holds?.toISOString() ?? null } };
    },
    async cancelPrice({ caller, params, body }) {
      await cancelPrice(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
  };
}

function stateOf(row: VersionRow, inForce: VersionRow | undefined, now: Date): PriceVersion['state'] {
  if (row.cancelledAt) return 'cancelled';
  if (row.id === inForce?.id) return 'in_force';
  return isPlanned(row, now) ? 'planned' : 'over';
}

async function describeVersions(
  db: Database,
  rows: readonly VersionRow[],
  stateOfRow: (row: VersionRow) => PriceVersion['state'],
): Promise<PriceVersion[]> {
  const ids = rows.flatMap(({ createdBy, cancelledBy }) => [createdBy, cancelledBy]).filter((id) => id !== null);
  const users = await getUsers(db, [...new Set(ids)]);
  const emailOf = (id: string | null) => (id === null ? null : (users.get(id)?.email ?? id));
  return rows.map((row) => ({
    ...{ id: row.id, usd_cents_per_gb: row.usdCentsPerGb, state: stateOfRow(row), reason: row.reason },
    ...{ from: row.validFrom.toISOString(), created_at: row.createdAt.toISOString() },
    ...{ by: emailOf(row.createdBy), cancelled_by: emailOf(row.cancelledBy) },
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
  }));
}

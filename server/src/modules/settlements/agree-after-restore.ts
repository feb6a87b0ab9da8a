import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { type Clock, tehranDay } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { listSettlementDifferences } from './list-settlements.ts';
import { firstUncovered } from './rules.ts';
import { selectCoveredSince } from './tables.ts';

/**
 * What of each gateway's list is missing before the books agree with it: days from `from` to `since` that no file imported after the
 * restore covers, and what such a file says and the books do not know. A sentence for each.
 */
export async function listDisagreements(
  deps: { readonly db: Database; readonly clock: Clock },
  { from, since }: { readonly from: Date; readonly since: Date },
  gateways: readonly GatewayName[],
): Promise<string[]> {
  const [first, last] = [tehranDay(from), tehranDay(since)];
  const covered = await selectCoveredSince(deps.db, since);
  const uncovered = gateways.flatMap((gateway) => {
    const day = firstUncovered(
      covered.filter((file) => file.gateway === gateway),
      first,
      last,
    );
    if (day === undefined) return [];
    return `${gateway}: no list imported since the restore covers ${day} (needed: ${first} to ${last}). settlements import --gateway ${gateway} --file … [--from ${first} --to ${last}]`;
  });
  const open = await listSettlementDifferences(deps, { gateway: undefined, all: false });
  const ofLists = open.filter(({ line_id, opened_at }) => line_id !== null && opened_at >= since);
  return [
    ...uncovered,
    ...ofLists.map(
      ({ id, gateway, line, amount_toman, sentence }) =>
        `${gateway}: ${line?.reference ?? 'a line'}, ${amount_toman ?? '?'} toman: ${sentence} settlements differences resolve --id ${id} …`,
    ),
  ];
}

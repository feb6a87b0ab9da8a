import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getPerson } from '../accounts/people.ts';
import type { RateSource } from '../currency/rate.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { lockAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { insertSegment, type LeaseUpdate, type MeterRow, updateLeases } from '../metering/leases.ts';
import { currentPrice } from './price.ts';
import { decideGrant, type Grant, wantedAhead } from './rules.ts';

export interface GrantDeps {
  readonly clock: Clock;
  readonly rate: RateSource;
}

/** A meter whose lease was raised. */
export interface Granted {
  readonly configId: string;
  readonly nodeId: string;
  readonly version: number;
  readonly limit: bigint;
  readonly billed: bigint;
}

/**
 * Raises the leases of locked meters as far as their owners' wallets go, reserving the money in the same transaction.
 * One transfer per person. A pending shrink is withdrawn by a raise. `siblings` tells how many live configs a person has.
 */
export async function grantLeases(
  tx: Tx,
  deps: GrantDeps,
  meters: readonly MeterRow[],
  siblings: (userId: string) => number,
): Promise<Granted[]> {
  const live = meters.filter((meter) => !meter.final);
  if (live.length === 0) return [];
  const now = deps.clock.now();
  const userIds = [...new Set(live.map((meter) => meter.user_id))].sort();
  const accounts = await lockAccounts(tx, userIds);
  const updates: LeaseUpdate[] = [];
  const granted: Granted[] = [];
  for (const userId of userIds) {
    const owned = accounts.get(userId);
    const price = owned && (await currentPrice(tx, deps.rate, await getPerson(tx, userId), now));
    if (!owned || price === undefined) continue;
    let free = owned.walletToman;
    let reserved = 0n;
    for (const meter of live.filter((candidate) => candidate.user_id === userId)) {
      const grant = decideFor(meter, free, price, siblings(userId) > 1);
      if (!grant) continue;
      free -= grant.costToman;
      reserved += grant.costToman;
      if (grant.closed) await insertSegment(tx, { configId: meter.config_id, ...grant.closed });
      updates.push(toUpdate(meter, grant));
      granted.push({
        configId: meter.config_id,
        nodeId: meter.node_id,
        version: meter.lease_version + 1,
        limit: grant.limit,
        billed: meter.billed_bytes,
      });
    }
    if (reserved > 0n) await reserve(tx, owned, reserved, now);
  }
  await updateLeases(tx, updates);
  return granted;
}

function decideFor(meter: MeterRow, walletToman: bigint, priceMilliToman: bigint, shared: boolean): Grant | undefined {
  const state = {
    billed: meter.billed_bytes,
    limit: meter.lease_limit_bytes,
    segmentStart: meter.segment_start,
    segmentPrice: meter.segment_price,
  };
  return decideGrant(state, { walletToman, priceMilliToman, ahead: wantedAhead(meter.rate), shared });
}

function toUpdate(meter: MeterRow, grant: Grant): LeaseUpdate {
  return {
    configId: meter.config_id,
    version: meter.lease_version + 1,
    limit: grant.limit,
    shrinkTo: null,
    grantBytes: grant.grantBytes,
    segmentStart: grant.segmentStart,
    segmentPrice: grant.segmentPrice,
  };
}

async function reserve(tx: Tx, accounts: UserAccounts, amount: bigint, now: Date): Promise<void> {
  await postTransfer(
    tx,
    {
      kind: 'lease_grant',
      sourceType: 'lease_grant',
      sourceId: newId(now),
      purpose: 'reserve',
      movements: [
        { accountId: accounts.walletId, amountToman: -amount },
        { accountId: accounts.leaseId, amountToman: amount },
      ],
    },
    now,
  );
}

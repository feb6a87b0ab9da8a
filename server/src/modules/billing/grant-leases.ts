import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getPeople, isInTrial } from '../accounts/people.ts';
import type { RateSource } from '../currency/rate.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { lockAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { insertSegments, type LeaseUpdate, type MeterRow, updateLeases } from '../metering/leases.ts';
import { usualPrice } from './price.ts';
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
 * Raises the leases of locked meters as far as their owners' wallets go, reserving the money in the same transaction: one
 * transfer for all of them. A pending shrink is withdrawn by a raise. `siblings` tells how many live configs a person has.
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
  const people = await getPeople(tx, userIds);
  const usual = await usualPrice(tx, deps.rate);
  const reserved = new Map<string, bigint>();
  const raised: { meter: MeterRow; grant: Grant }[] = [];
  for (const meter of live) {
    const [owned, person] = [accounts.get(meter.user_id), people.get(meter.user_id)];
    const price = person && isInTrial(person, now) ? 0n : usual;
    if (!owned || !person || price === undefined) continue;
    const taken = reserved.get(meter.user_id) ?? 0n;
    const grant = decideFor(meter, owned.walletToman - taken, price, siblings(meter.user_id) > 1);
    if (!grant) continue;
    reserved.set(meter.user_id, taken + grant.costToman);
    raised.push({ meter, grant });
  }
  await insertSegments(
    tx,
    raised.flatMap(({ meter, grant }) => (grant.closed ? [{ configId: meter.config_id, ...grant.closed }] : [])),
  );
  await updateLeases(
    tx,
    raised.map(({ meter, grant }) => toUpdate(meter, grant)),
  );
  await reserve(tx, accounts, reserved, now);
  return raised.map(({ meter, grant }) => ({
    configId: meter.config_id,
    nodeId: meter.node_id,
    version: meter.lease_version + 1,
    limit: grant.limit,
    billed: meter.billed_bytes,
  }));
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

async function reserve(
  tx: Tx,
  accounts: ReadonlyMap<string, UserAccounts>,
  amounts: ReadonlyMap<string, bigint>,
  now: Date,
): Promise<void> {
  const movements = [...amounts].flatMap(([userId, amountToman]) => {
    const owned = accounts.get(userId);
    if (!owned || amountToman === 0n) return [];
    return [
      { accountId: owned.walletId, amountToman: -amountToman },
      { accountId: owned.leaseId, amountToman },
    ];
  });
  if (movements.length === 0) return;
  const cause = { kind: 'lease_grant', sourceType: 'lease_grant', sourceId: newId(now), purpose: 'reserve' } as const;
  await postTransfer(tx, { ...cause, movements }, now);
}

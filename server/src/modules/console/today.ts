import { approvalPermissions } from '@raha/contract/admin/approvals.ts';
import type { LiveNode } from '@raha/contract/admin/fleet.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Permission } from '@raha/contract/admin/roles.ts';
import type { Today, WaitingItem } from '@raha/contract/admin/today.ts';
import { toWire } from '@raha/contract/money.ts';
import type { StaffActor } from '../../platform/audit.ts';
import { addDays, type Clock, tehranDay } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { readProofState } from '../ledger/proofs.ts';
import { countWaiting, listOldestWaiting, listWaitingRefunds, sumSettledBetween } from '../payments/list-payments.ts';
import { findPlannedPrice } from '../pricing/price-versions.ts';
import { isOpen, listApprovals } from '../staff/approvals.ts';
import { findPlannedVersion } from '../subscriptions/plans.ts';
import { describePaymentLines, describeRefunds } from './describe-payments.ts';
import { describeProposals } from './describe-proposals.ts';

export interface TodayDeps {
  readonly db: Executor;
  readonly clock: Clock;
  readonly exchangeRate: ExchangeRateSource;
}

/** How the installation does, the same for every member. What is counted goes along indexes, from the beginning of today on. */
export async function describeInstallation({ db, clock, exchangeRate }: TodayDeps) {
  const now = clock.now();
  const midnight = new Date(`${tehranDay(now)}T00:00:00+03:30`);
  const sums = await sumSettledBetween(db, midnight, now);
  const before = await sumSettledBetween(db, addDays(midnight, -7), addDays(now, -7));
  const proof = await readProofState(db);
  const rate = await exchangeRate.current(db);
  return {
    money: {
      ...{ credited: toWire(sums.credited), payments: sums.payments, refunded: toWire(sums.refunded) },
      week_ago: { credited: toWire(before.credited), payments: before.payments },
    },
    ledger: {
      violations: proof.violations,
      proved_at: proof.lastAt?.toISOString() ?? null,
      whole_at: proof.wholeAt?.toISOString() ?? null,
    },
    rate: rate ? { toman: rate.tomanPerUsd } : null,
  } satisfies Pick<Today, 'money' | 'ledger' | 'rate'>;
}

/** The change of the price that waits for its moment. */
export async function describePlannedPrice({ db, clock }: Pick<TodayDeps, 'db' | 'clock'>) {
  const planned = await findPlannedPrice(db, clock.now());
  return planned ? { usd_cents_per_gb: planned.usdCentsPerGb, from: planned.validFrom.toISOString() } : null;
}

/** Of all changes of plans that wait for their moment, the first. */
export async function describePlannedPlan({
  db,
  clock,
}: Pick<TodayDeps, 'db' | 'clock'>): Promise<Today['planned_plan']> {
  const planned = await findPlannedVersion(db, clock.now());
  if (!planned) return null;
  const { planId: id, priceToman, validFrom } = planned;
  return { id, price: toWire(priceToman), from: validFrom.toISOString() };
}

/** What waits for those who may do something about it, oldest first. */
export async function listWaiting(
  deps: Pick<TodayDeps, 'db' | 'clock'>,
  actor: StaffActor,
  permissions: readonly Permission[],
): Promise<Pick<Today, 'waiting' | 'counts'>> {
  const { db, clock } = deps;
  const most = staffLimits.today.most;
  const waiting: WaitingItem[] = [];
  const counts = { payments: 0, refunds: 0, proposals: 0, approvals: 0 };
  if (permissions.includes('payments.read')) {
    const { payments, refunds } = await countWaiting(db);
    Object.assign(counts, { payments, refunds });
    const lines = await describePaymentLines(db, await listOldestWaiting(db, most));
    for (const { id, user, amount, created_at } of lines)
      waiting.push({ kind: 'payment', id, user: shown(user), ...noOther, amount, since: created_at });
    for (const refund of await describeRefunds(db, await listWaitingRefunds(db, most)))
      waiting.push({
        ...{ kind: 'refund' as const, id: refund.payment, user: shown(refund.user), ...noOther },
        ...{ amount: refund.amount, since: refund.created_at },
      });
  }
  if (permissions.includes('wallet.adjust')) {
    const open = (await describeProposals(deps, actor)).filter(({ state }) => state === 'open');
    counts.proposals = open.length;
    for (const { id, user, bulk, amount, proposed_at } of open.slice(0, most))
      waiting.push({
        ...{ kind: 'proposal' as const, id, user: user && shown(user), people: bulk?.people ?? null, act: null },
        ...{ amount, since: proposed_at },
      });
  }
  if (permissions.includes('approvals.decide')) {
    const now = clock.now();
    const open = (await listApprovals(db, now, staffLimits.proposals.most)).filter(
      (row) => isOpen(row, now) && permissions.includes(approvalPermissions[row.act]),
    );
    counts.approvals = open.length;
    for (const { id, act, proposed_at } of open.slice(0, most))
      waiting.push({
        ...{ kind: 'approval' as const, id, user: null, people: null, act, amount: null },
        since: proposed_at.toISOString(),
      });
  }
  waiting.sort((a, b) => a.since.localeCompare(b.since));
  return { waiting, counts };
}

const noOther = { people: null, act: null } as const;

function shown({ name, email }: { readonly name: string; readonly email: string }) {
  return { name, email };
}

/** Servers at work, and those to look into. */
export function summarizeNodes(nodes: readonly LiveNode[]): Today['nodes'] {
  const serving = nodes.filter(({ status }) => status !== 'revoked' && status !== 'inactive');
  return {
    online: serving.filter(({ online }) => online).length,
    all: serving.length,
    troubled: serving
      .filter(({ troubles, suspicious }) => troubles.length > 0 || suspicious)
      .map(({ id, name, troubles, suspicious }) => ({ id, name, troubles, suspicious })),
  };
}

import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Tx } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import type { ServiceNotifier } from '../billing/notifications.ts';
import { findUserAccounts, getUserAccounts } from '../ledger/user-accounts.ts';
import { hoursAtPace } from '../metering/rules.ts';
import { sumLastDay } from '../metering/usage-series.ts';
import { type ChannelDeps, sendToChannels } from './channels/send-to-channels.ts';
import type { AllNotifications, AnyEvent } from './kinds.ts';
import { decideLowBalance, topUps } from './rules.ts';
import { notificationsChanged } from './signals.ts';
import {
  countStops,
  insertNotifications,
  selectBaselines,
  silenceWarnings,
  updateWarned,
  upsertBaseline,
} from './tables.ts';

interface Deps extends ChannelDeps {
  readonly bus: Bus;
}

const firstPercent = Math.max(...limits.notifications.lowBalancePercents);
const lastPercent = Math.min(...limits.notifications.lowBalancePercents);

/** Stores a notification once per cause, sends it to the channels that the user chose, and signals open panels. */
export function createNotifier(deps: Deps): Notifier<AllNotifications> & ServiceNotifier {
  return {
    notify: (tx, events) => notify(tx, deps, events),
    balanceFell: (tx, userIds) => warnOfLowBalances(tx, deps, userIds),
    balanceRunsOut: (tx, userIds) => warnOfHours(tx, deps, userIds),
    async serviceStopped(tx, stops) {
      if (stops.length === 0) return;
      const causes = new Map(stops.map(({ userId, cause }) => [userId, cause]));
      const userIds = [...causes.keys()];
      const counts = await countStops(tx, userIds);
      // The number of the episode is the cause: when two nodes report the same one, the user is notified once.
      const episodes = [...counts].map(([userId, { restored }]): AnyEvent => {
        const cause = causes.get(userId) ?? 'money';
        return { userId, kind: 'service_cut', cause: String(restored), data: { cause } };
      });
      await notify(tx, deps, episodes);
      // A user who was notified that the service stopped needs no low-balance warning.
      await silenceWarnings(tx, userIds, lastPercent);
    },
    async trialsUsedUp(tx, trials) {
      const used = trials.map(
        ({ userId, gb }): AnyEvent => ({ userId, kind: 'trial_used_up', cause: 'once', data: { gb } }),
      );
      await notify(tx, deps, used);
    },
    async serviceRestored(tx, userId) {
      const counts = (await countStops(tx, [userId])).get(userId);
      if (!counts || counts.stopped <= counts.restored) return;
      await notify(tx, deps, [{ userId, kind: 'service_restored', cause: String(counts.restored), data: {} }]);
    },
  };
}

async function notify(tx: Tx, deps: Deps, events: readonly AnyEvent[]): Promise<void> {
  if (events.length === 0) return;
  const now = deps.clock.now();
  const inserted = await insertNotifications(
    tx,
    events.map((event) => ({ ...event, id: newId(now) })),
    now,
  );
  const byCause = new Map(events.map((event) => [`${event.userId} ${event.kind} ${event.cause}`, event]));
  const fresh = inserted.flatMap(({ id, user_id, kind, cause }) => {
    const event = byCause.get(`${user_id} ${kind} ${cause}`);
    return event ? [{ ...event, id }] : [];
  });
  await sendToChannels(tx, deps, fresh);
  for (const { user_id, kind, cause } of inserted)
    if (topUps.includes(kind)) await setBaseline(tx, user_id, `${kind}:${cause}`);
  for (const userId of new Set(inserted.map(({ user_id }) => user_id)))
    await deps.bus.announce(tx, notificationsChanged, { userId });
}

/** Sets the low-balance baseline after a top-up, unless a debt consumed all of it. */
async function setBaseline(tx: Tx, userId: string, cause: string): Promise<void> {
  const { walletToman, leaseToman } = await getUserAccounts(tx, userId);
  const baselineToman = walletToman + leaseToman;
  if (baselineToman > 0n) await upsertBaseline(tx, userId, baselineToman, cause);
}

async function warnOfLowBalances(tx: Tx, deps: Deps, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const baselines = await selectBaselines(tx, userIds, lastPercent);
  if (baselines.length === 0) return;
  const accounts = await findUserAccounts(
    tx,
    baselines.map(({ user_id }) => user_id),
  );
  const events: AnyEvent[] = [];
  for (const baseline of baselines) {
    const owned = accounts.get(baseline.user_id);
    if (!owned) continue;
    const balanceToman = owned.walletToman + owned.leaseToman;
    const { baseline_toman: baselineToman, warned_percent: warnedPercent } = baseline;
    const percent = decideLowBalance({ balanceToman, baselineToman, warnedPercent });
    if (percent === undefined || !(await updateWarned(tx, baseline, percent))) continue;
    const data = { percent, balanceToman: Number(balanceToman) };
    events.push({ userId: baseline.user_id, kind: 'low_balance', cause: `${baseline.cause}:${percent}`, data });
  }
  await notify(tx, deps, events);
}

/**
 * By the pace of the last day, before the first warning by percent and instead of it; for those who have at most half of
 * their last top-up, because for others it is no question.
 */
async function warnOfHours(tx: Tx, deps: Deps, userIds: readonly string[]): Promise<void> {
  const baselines = await selectBaselines(tx, userIds, firstPercent);
  const accounts = await findUserAccounts(
    tx,
    baselines.map(({ user_id }) => user_id),
  );
  const left = baselines.flatMap((baseline) => {
    const owned = accounts.get(baseline.user_id);
    const balanceToman = owned ? owned.walletToman + owned.leaseToman : 0n;
    return balanceToman > 0n && balanceToman * 2n <= baseline.baseline_toman ? [{ baseline, balanceToman }] : [];
  });
  if (left.length === 0) return;
  const charged = await sumLastDay(
    tx,
    left.map(({ baseline }) => baseline.user_id),
    deps.clock.now(),
  );
  const events: AnyEvent[] = [];
  for (const { baseline, balanceToman } of left) {
    const hours = hoursAtPace(balanceToman, charged.get(baseline.user_id) ?? 0n);
    if (hours === undefined || hours > limits.notifications.lowBalanceHours) continue;
    if (!(await updateWarned(tx, baseline, firstPercent))) continue;
    const percent = Number((balanceToman * 100n) / baseline.baseline_toman);
    const data = { percent, hours, balanceToman: Number(balanceToman) };
    events.push({ userId: baseline.user_id, kind: 'low_balance', cause: `${baseline.cause}:hours`, data });
  }
  await notify(tx, deps, events);
}

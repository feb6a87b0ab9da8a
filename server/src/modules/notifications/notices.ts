import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Tx } from '../../platform/database.ts';
import type { Notice, Notices } from '../../platform/notices.ts';
import { newId } from '../../platform/random.ts';
import { findUserAccounts, getUserAccounts } from '../ledger/user-accounts.ts';
import { type MailNoticeDeps, sendOn } from './mail-notices.ts';
import { decideLowBalance, topUps } from './rules.ts';
import { notificationsChanged } from './signals.ts';
import { countCuts, insertNotices, selectLevels, silenceLevels, updateWarned, upsertLevel } from './tables.ts';

interface Deps extends MailNoticeDeps {
  readonly bus: Bus;
}

const lastPercent = Math.min(...limits.notifications.lowBalancePercents);

/** Writes down what people are told, once per cause, and tells their open panels. */
export function createNotices(deps: Deps): Notices {
  return {
    tell: (tx, notices) => tell(tx, deps, notices),
    balanceFell: (tx, userIds) => warnOfLowBalances(tx, deps, userIds),
    async serviceCut(tx, userIds) {
      if (userIds.length === 0) return;
      const counts = await countCuts(tx, userIds);
      // The number of the episode is the cause: of two nodes that report the same cut, one tells.
      const episodes = [...counts].map(([userId, { restored }]): Notice => {
        return { userId, kind: 'service_cut', cause: String(restored), data: {} };
      });
      await tell(tx, deps, episodes);
      // Who has nothing need not hear that it is little.
      await silenceLevels(tx, userIds, lastPercent);
    },
    async serviceRestored(tx, userId) {
      const counts = (await countCuts(tx, [userId])).get(userId);
      if (!counts || counts.cuts <= counts.restored) return;
      await tell(tx, deps, [{ userId, kind: 'service_restored', cause: String(counts.restored), data: {} }]);
    },
  };
}

async function tell(tx: Tx, deps: Deps, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const now = deps.clock.now();
  const told = await insertNotices(
    tx,
    notices.map((notice) => ({ ...notice, id: newId(now) })),
    now,
  );
  const byCause = new Map(notices.map((notice) => [`${notice.userId} ${notice.kind} ${notice.cause}`, notice]));
  const fresh = told.map(({ user_id, kind, cause }) => byCause.get(`${user_id} ${kind} ${cause}`));
  await sendOn(
    tx,
    deps,
    fresh.filter((notice) => notice !== undefined),
  );
  for (const { user_id, kind, cause } of told)
    if (topUps.includes(kind)) await setLevel(tx, user_id, `${kind}:${cause}`);
  for (const userId of new Set(told.map(({ user_id }) => user_id)))
    await deps.bus.announce(tx, notificationsChanged, { userId });
}

/** A top-up that a debt swallowed whole leaves no level. */
async function setLevel(tx: Tx, userId: string, cause: string): Promise<void> {
  const { walletToman, leaseToman } = await getUserAccounts(tx, userId);
  const levelToman = walletToman + leaseToman;
  if (levelToman > 0n) await upsertLevel(tx, userId, levelToman, cause);
}

async function warnOfLowBalances(tx: Tx, deps: Deps, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const levels = await selectLevels(tx, userIds, lastPercent);
  if (levels.length === 0) return;
  const accounts = await findUserAccounts(
    tx,
    levels.map(({ user_id }) => user_id),
  );
  const notices: Notice[] = [];
  for (const level of levels) {
    const owned = accounts.get(level.user_id);
    if (!owned) continue;
    const balanceToman = owned.walletToman + owned.leaseToman;
    const { baseline_toman: levelToman, warned_percent: warnedPercent } = level;
    const percent = decideLowBalance({ balanceToman, levelToman, warnedPercent });
    if (percent === undefined || !(await updateWarned(tx, level, percent))) continue;
    const data = { percent, balanceToman: Number(balanceToman) };
    notices.push({ userId: level.user_id, kind: 'low_balance', cause: `${level.cause}:${percent}`, data });
  }
  await tell(tx, deps, notices);
}

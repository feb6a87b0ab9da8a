import type { todayCalls } from '@raha/contract/admin/today.ts';
import { listUrgent } from '../alerts/list-alerts.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { describeOpenBulks } from './describe-bulks.ts';
import { describeLiveNodes } from './describe-fleet.ts';
import { remember } from './remember.ts';
import {
  describeInstallation,
  describePlannedPlan,
  describePlannedPrice,
  listWaiting,
  summarizeNodes,
  type TodayDeps,
} from './today.ts';

/** For so many seconds all members of a process share what is the same for all. */
const SHARED = 14;

/** The first screen of the console. */
export function todayRoutes(deps: TodayDeps): AdminHandlers<typeof todayCalls> {
  const { db, clock } = deps;
  const installation = remember(clock, SHARED, () => describeInstallation(deps));
  const nodes = remember(clock, SHARED, async () => summarizeNodes(await describeLiveNodes(db, clock.now())));
  return {
    async getToday({ caller }) {
      const { value, at } = await installation.read();
      const seesMoney = caller.permissions.includes('payments.read');
      const waiting = await listWaiting(deps, actorOf(caller), caller.permissions);
      const mayReadPrices = caller.permissions.includes('prices.read');
      const seesAlerts = caller.permissions.includes('alerts.read');
      return {
        success: true,
        data: {
          ...{ at: at.toISOString(), ...waiting },
          alerts: seesAlerts ? await listUrgent(db, clock.now()) : [],
          money: seesMoney ? value.money : null,
          ledger: seesMoney ? value.ledger : null,
          rate: value.rate,
          planned_price: mayReadPrices ? await describePlannedPrice(deps) : null,
          planned_plan: mayReadPrices ? await describePlannedPlan(deps) : null,
          bulks: await describeOpenBulks(db, caller),
          nodes: caller.permissions.includes('fleet.read') ? (await nodes.read()).value : null,
        },
      };
    },
  };
}

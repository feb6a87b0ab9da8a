import { type ReachSpan, type reachMapCalls, reachSpans } from '@raha/contract/admin/reach.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { readMap } from '../reach/read-map.ts';
import type { AdminHandlers } from '../staff/admit.ts';
import { describeMap, describeWay } from './describe-reach.ts';
import { type Remembered, remember } from './remember.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/** How long a map is shared, in seconds: hours end every hour, and what is looked at is the same for all. */
const MAP = 55;

/** The map of reach: by network and transport, and one of them by time and entry. */
export function reachMapRoutes({ db, clock }: Deps): AdminHandlers<typeof reachMapCalls> {
  const maps = new Map(
    reachSpans.map((span) => [span, remember(clock, MAP, () => readMap(db, span, clock.now()))] as const),
  );
  const mapOf = (span: ReachSpan) => maps.get(span) as Remembered<Awaited<ReturnType<typeof readMap>>>;
  return {
    async getReachMap({ query: { span } }) {
      const { value, at } = await mapOf(span).read();
      return { success: true, data: { at: at.toISOString(), ...describeMap(value) } };
    },
    async getReachWay({ params: { network, transport }, query: { span } }) {
      const data = await describeWay(db, { network: Number(network), transport, span }, clock.now());
      return { success: true, data };
    },
  };
}

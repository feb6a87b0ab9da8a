import { limits } from '@raha/contract/limits.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { addDays, addSeconds, type Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Gateway } from './gateway.ts';
import { deleteOldMinutes, insertCall, selectCalls } from './gateway-tables.ts';
import { decideHealth } from './rules.ts';

/**
 * Wraps a gateway so that every call a user waits for is counted: how long it took and whether the bank answered. If
 * the count cannot be written, the call still succeeds.
 */
export function measureGateway(deps: { db: Database; clock: Clock; log: Log }, gateway: Gateway): Gateway {
  const measured = async <T extends { kind: string }>(call: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const answer = await call();
    const took = Math.round(performance.now() - from);
    try {
      await insertCall(deps.db, gateway.name, deps.clock.now(), answer.kind === 'unknown', took);
    } catch (err) {
      deps.log.warn({ err, gateway: gateway.name }, 'a call of a gateway was not counted');
    }
    return answer;
  };
  return {
    ...gateway,
    start: (request) => measured(() => gateway.start(request)),
    verify: (reference) => measured(() => gateway.verify(reference)),
    refund: (request) => measured(() => gateway.refund(request)),
  };
}

/** The health of each gateway in the last minutes; with too few calls it counts as good. */
export async function getGatewayHealth(
  db: Executor,
  now: Date,
): Promise<(name: GatewayName) => ReturnType<typeof decideHealth>> {
  const calls = await selectCalls(db, addSeconds(now, -60 * limits.payment.healthMinutes));
  return (name) => decideHealth(calls.get(name) ?? { calls: 0, unanswered: 0, totalMs: 0 });
}

export async function forgetOldCalls(db: Executor, now: Date): Promise<void> {
  await deleteOldMinutes(db, addDays(now, -limits.keptDays.attempts));
}

import { limits } from '@raha/contract/limits.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { getSetting } from '../../platform/settings.ts';
import { findOperator, type NetworkDirectory } from './networks.ts';
import type { OncePerHour } from './once-per-hour.ts';
import { reachNetworks } from './settings.ts';
import { addCounts } from './tables.ts';

export interface AnswerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly minuteLimit: MinuteLimit;
  readonly networks: NetworkDirectory;
}

export interface ReachAnswer {
  readonly transport: Transport;
  readonly port?: number | undefined;
  readonly connected: boolean;
  /** As the user says; used when the request does not show it. */
  readonly network?: number | undefined;
}

/**
 * Counts an answer to "did it connect?" for the network of the request: once per hour, account and way. Which account it was is
 * remembered for that hour in memory and stored nowhere. An answer that belongs to no network that is counted changes nothing.
 */
export async function answerReach(
  deps: AnswerDeps,
  answered: OncePerHour,
  { userId, address, answer }: { readonly userId: string; readonly address: string; readonly answer: ReachAnswer },
): Promise<void> {
  deps.minuteLimit.take(`reach ${userId}`, limits.reach.answersPerMinute);
  const operators = await getSetting(deps.db, reachNetworks);
  const network =
    (await findOperator(deps.networks, operators, address)) ?? operators.find(({ id }) => id === answer.network);
  const { transport, port = 0, connected } = answer;
  if (!network || !answered.take(`${userId} ${transport} ${port}`)) return;
  const count = { network: network.id, transport, port, attempts: 1, through: connected ? 1 : 0 };
  await addCounts(deps.db, null, [count], deps.clock.now());
}

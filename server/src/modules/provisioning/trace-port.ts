import type { TraceOutcome } from '@raha/contract/admin/fleet.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { TraceQuestion } from '@raha/contract/node/trace.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import { addSeconds, type Clock, secondsBetween } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listEntries } from '../audit/audit.ts';
import { hadOtherConfig, readConfigs } from '../configs/list-configs.ts';
import type { ConfigNotifications } from '../configs/notifications.ts';
import { getUnrevokedNode } from '../fleet/get-node.ts';
import type { NodeOrder } from '../fleet/operator-order.ts';
import { isOnline } from '../fleet/rules.ts';
import { type HeardAnswer, traceAnswered, traceAsked } from './signals.ts';

export interface TraceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly audit: Audit;
  readonly notifier: Notifier<ConfigNotifications>;
  /** How long the answer of a node is waited for, instead of `staffLimits.traces.waitSeconds`. */
  readonly traceWaitMs?: number;
}

export interface TraceOrder extends NodeOrder {
  readonly reason: string;
  readonly about: Omit<TraceQuestion, 'id'>;
}

const HOUR_SECONDS = 3_600;
/** The kernel of a node keeps a silent TCP connection for two hours and four minutes, and the other side may still send. */
const FORGOTTEN_SECONDS = 3 * HOUR_SECONDS;
/** A node that has just been given its desired state waits for nothing yet, and misses the question. */
const REPEAT_MS = 1_000;

/**
 * Asks a node which config uses a port at this moment (decision 117). Kept: who asked which node and why, before it is
 * asked; and whose config it named, whose owner is told in the same transaction, before the one who asked. The port, and
 * answers that name nobody, are not. Refuses `traces_used_up` to an actor after two questions within an hour; a node that
 * is not online is not asked, and that does not count.
 */
export async function tracePort(deps: TraceDeps, order: TraceOrder): Promise<TraceOutcome> {
  const { actor, nodeId, reason, about } = order;
  const node = await getUnrevokedNode(deps.db, nodeId);
  if (!isOnline(node, deps.clock.now())) return { outcome: 'offline' };
  await inTransaction(deps.db, async (tx) => {
    await order.stillMay?.(tx);
    await deps.audit.record(tx, actor, { action: 'nodes.trace', target: { kind: 'node', id: nodeId }, reason });
    await refuseThird(tx, actor, deps.clock.now());
  });
  const question = { ...about, id: newId(deps.clock.now()) };
  const answer = await ask(deps, nodeId, question);
  if (!answer) return { outcome: 'no_answer' };
  switch (answer.kind) {
    case 'config':
      return await tellOwner(deps, order, question.id, answer.config);
    case 'several':
      return { outcome: 'several', configs: answer.configs };
    default:
      return { outcome: answer.kind };
  }
}

/** After the own entry was written: the entries of the audit are written one after another, so nobody counts past it. */
async function refuseThird(tx: Tx, actor: Actor, now: Date): Promise<void> {
  const { perHour } = staffLimits.traces;
  const who = actor.kind === 'staff' ? actor.userId : actor.systemUser;
  const entries = await listEntries(tx, { action: 'nodes.trace', actor: who }, perHour + 1);
  const before = entries[perHour];
  const seconds = before ? HOUR_SECONDS - secondsBetween(before.at, now) : 0;
  if (seconds <= 0) return;
  const details = { count: perHour, minutes: Math.ceil(seconds / 60) };
  throw new Refusal('traces_used_up', { details, retryAfterSeconds: Math.ceil(seconds) });
}

/** Undefined: there was no answer in time. Only the node that was asked is heard, and only about this question. */
async function ask(
  { bus, traceWaitMs = staffLimits.traces.waitSeconds * 1000 }: TraceDeps,
  nodeId: string,
  question: TraceQuestion,
): Promise<HeardAnswer | undefined> {
  return await new Promise((resolve) => {
    const finish = (answer: HeardAnswer | undefined) => {
      clearTimeout(wait);
      clearInterval(repeat);
      unsubscribe();
      resolve(answer);
    };
    const unsubscribe = bus.subscribe(traceAnswered, (heard) => {
      if (heard.nodeId === nodeId && heard.id === question.id) finish(heard.answer);
    });
    const send = () => bus.announceSoon(traceAsked, { nodeId, question });
    const repeat = setInterval(send, REPEAT_MS);
    const wait = setTimeout(() => finish(undefined), traceWaitMs);
    send();
  });
}

/**
 * A node that names a config which it does not have is not believed. Where the config has its inner address from another
 * one that was there within the last hours, the connection may be that one's, and nobody is named.
 */
export async function tellOwner(
  deps: TraceDeps,
  order: TraceOrder,
  trace: string,
  configId: string,
): Promise<TraceOutcome> {
  const { actor, nodeId, reason } = order;
  return await inTransaction(deps.db, async (tx) => {
    const config = (await readConfigs(tx, [configId])).get(configId);
    if (config?.node_id !== nodeId) return { outcome: 'unable' };
    const since = addSeconds(deps.clock.now(), -FORGOTTEN_SECONDS);
    if (await hadOtherConfig(tx, config, since)) return { outcome: 'several', configs: 2 };
    const { user_id: userId, name } = config;
    await deps.notifier.notify(tx, [{ userId, kind: 'config_traced', cause: trace, data: { name } }]);
    await deps.audit.record(tx, actor, {
      action: 'nodes.trace-found',
      target: { kind: 'node', id: nodeId },
      userId,
      reason,
      details: { config: configId },
    });
    return { outcome: 'found', config: configId, user: userId };
  });
}

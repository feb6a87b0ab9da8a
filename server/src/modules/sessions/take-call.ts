import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database.ts';
import type { FairQueue } from '../../platform/fair-queue.ts';
import type { NetworkLimit } from '../../platform/http/network-limit.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { deviceOf } from './device.ts';
import { isDeviceOfAnyone } from './device-tables.ts';
import { hashDevice } from './requester.ts';

export type SignInCall = 'login' | 'register' | 'code' | 'reset' | 'passkey';

export interface CallDeps {
  readonly db: Database;
  readonly networkLimit: NetworkLimit;
  readonly minuteLimit: MinuteLimit;
  /** Calls of browsers that no account knows. */
  readonly strangers: FairQueue<SignInCall>;
}

/** How many calls of unknown browsers are worked on at a time, and how many of each kind may wait. */
export const STRANGERS_AT_A_TIME = 8;
export const STRANGERS_WAITING = 500;

/**
 * Admits a call without a session. A browser that has signed in to some account before is counted by itself.
 * All others are counted by network, and only a few of them are worked on at a time, until their answer is sent: a flood
 * waits in its own line, and the owners pass by (decision 0050). Refuses `too_many_requests` and `unavailable`.
 */
export async function takeCall(
  deps: CallDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: SignInCall,
): Promise<void> {
  const { cookie } = deviceOf(request);
  const isKnown = cookie !== undefined && (await isDeviceOfAnyone(deps.db, hashDevice(cookie)));
  await admitCall(deps, request, reply, kind, isKnown);
}

/** The same for a caller that has asked already whether some account knows the browser. */
export async function admitCall(
  deps: CallDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: SignInCall,
  isKnown: boolean,
): Promise<void> {
  const { cookie } = deviceOf(request);
  if (cookie !== undefined && isKnown) {
    deps.minuteLimit.take(`${kind} ${hashDevice(cookie).toString('hex')}`, limits.knownBrowserCallsPerMinute);
    return;
  }
  deps.networkLimit.take(request, kind);
  const leave = await deps.strangers.enter(kind);
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
}

import { limits } from '@raha/contract/limits.ts';
import type { FastifyRequest } from 'fastify';
import { deviceOf } from './device.ts';
import type { AuthDeps } from './give-session.ts';
import { hashDevice } from './requester.ts';
import { isDeviceOfAnyone } from './tables.ts';

/**
 * Counts a call by network, or, from a browser that has signed in to some account before, by browser: an attacker behind
 * the same address must not use up the owners' calls. Refuses `too_many_requests`.
 */
export async function takeCall(
  deps: Pick<AuthDeps, 'db' | 'networkLimit' | 'minuteLimit'>,
  request: FastifyRequest,
  kind: 'login' | 'register' | 'code' | 'reset' | 'passkey',
): Promise<void> {
  const { cookie } = deviceOf(request);
  const hash = cookie === undefined ? undefined : hashDevice(cookie);
  if (hash === undefined || !(await isDeviceOfAnyone(deps.db, hash))) {
    deps.networkLimit.take(request, kind);
    return;
  }
  deps.minuteLimit.take(`${kind} ${hash.toString('hex')}`, limits.knownBrowserCallsPerMinute);
}

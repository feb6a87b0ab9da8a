import { addDays } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import type { User } from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import type { Device } from './device.ts';
import { newDeviceMail } from './mails.ts';
import type { SessionNotifications } from './notifications.ts';
import { hashDevice } from './requester.ts';
import { insertSession } from './tables.ts';
import { hashToken } from './tokens.ts';

export type SignInMethod = 'code' | 'password' | 'google' | 'github' | 'passkey';

export interface NewSession {
  readonly days: number;
  readonly method: SignInMethod;
  readonly device: Device;
}

export interface StartedSession {
  readonly sessionId: string;
  readonly refreshToken: string;
  /** Stored by the browser. */
  readonly deviceCookie: string;
  readonly sessionSeconds: number;
}

/**
 * Starts a new session family for a user who was just authenticated. No id from before the sign-in is ever promoted
 * (session fixation). The owner is notified and mailed about a device new to the account; the very first one is
 * welcomed.
 */
export async function startSession(
  tx: Tx,
  deps: { jobs: Jobs; notifier: Notifier<SessionNotifications> },
  user: Pick<User, 'id' | 'email'>,
  session: NewSession,
  now: Date,
): Promise<StartedSession> {
  const sessionId = newId(now);
  const refreshToken = newSecret();
  const deviceCookie = session.device.cookie ?? newSecret();
  const { days, method, device } = session;
  const { isNew, devicesBefore } = await insertSession(tx, {
    id: sessionId,
    userId: user.id,
    now,
    expiresAt: addDays(now, days),
    method,
    device: device.label,
    deviceHash: hashDevice(deviceCookie),
    tokenHash: hashToken(refreshToken),
  });
  if (isNew && devicesBefore > 0) {
    const mail = newDeviceMail(await getSetting(tx, brandName), device.label, now);
    await deps.jobs.send(tx, sendEmail, { to: user.email, ...mail, about: { kind: 'new_device', userId: user.id } });
    const data = { device: device.label };
    await deps.notifier.notify(tx, [{ userId: user.id, kind: 'new_device', cause: sessionId, data }]);
  }
  if (devicesBefore === 0)
    await deps.notifier.notify(tx, [{ userId: user.id, kind: 'welcome', cause: 'account', data: {} }]);
  return { sessionId, refreshToken, deviceCookie, sessionSeconds: days * 86_400 };
}

import type { Profile, Settings, Usage } from '@raha/contract/public/profile.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { SmsSender } from '../../platform/sms.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { getPasswordHash, type User } from '../accounts/users.ts';
import { countConnections, selectUsageOverTime, sumAllTraffic } from '../metering/usage-series.ts';
import { describeUser } from '../sessions/describe-user.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly sms: SmsSender | undefined;
}

const MONTH_DAYS = 30;
const BYTES_PER_MB = 1_000_000n;

export async function readProfile(deps: Deps, user: User): Promise<Profile> {
  return {
    ...(await describeUser(deps.db, user)),
    ...(await readUsage(deps, user.id)),
    hasPassword: (await getPasswordHash(deps.db, user.id)) !== null,
    pendingEmail: user.pending_email,
    phoneVerification: deps.sms !== undefined,
  };
}

/** From the nodes' counters, which resetting the total on the dashboard does not change. */
export async function readUsage(deps: Deps, userId: string): Promise<Usage> {
  const days = await selectUsageOverTime(deps.db, userId, MONTH_DAYS, 'day', deps.clock.now());
  const month = days.reduce((sum, { up, down }) => sum + up + down, 0n);
  const { hours, configs } = await countConnections(deps.db, userId);
  return {
    totalTraffic: toMegabytes(await sumAllTraffic(deps.db, userId)),
    monthlyTraffic: toMegabytes(month),
    connectionsCount: configs,
    connectionHours: hours,
  };
}

function toMegabytes(bytes: bigint): number {
  return Number(bytes / BYTES_PER_MB);
}

export async function readSettings(deps: Pick<Deps, 'db'>, userId: string): Promise<Settings> {
  const row = await getPreferences(deps.db, userId);
  return {
    emailNotifications: row.email_notifications,
    smsNotifications: row.sms_notifications,
    autoConnect: row.auto_connect,
    language: row.language,
    theme: row.theme,
  };
}

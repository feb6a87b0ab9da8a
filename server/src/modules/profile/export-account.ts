import type { Locale } from '@raha/contract/persian.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { SmsSender } from '../../platform/sms.ts';
import type { Person } from '../accounts/people.ts';
import { findPicture } from '../accounts/pictures.ts';
import { listPayments } from '../billing/payment-list.ts';
import { listWalletLines } from '../billing/wallet-lines.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { listConfigEvents, listConfigs } from '../configs/list-configs.ts';
import { listConnections } from '../metering/connections.ts';
import { selectUsageByHour } from '../metering/usage-series.ts';
import { readChoices } from '../notifications/choices.ts';
import { listAllNotices } from '../notifications/list-notices.ts';
import { describePeriods } from '../plan-sales/describe-subscription.ts';
import { listIdentities, listSignIns } from '../sessions/list-sign-ins.ts';
import { listPeriods } from '../subscriptions/plans.ts';
import { readProfile, readSettings } from './read-profile.ts';

type Deps = ConfigDeps & { readonly db: Database; readonly clock: Clock; readonly sms: SmsSender | undefined };

/** Lists are read whole; nobody has more. */
const ALL = { number: 1, size: 1_000_000 } as const;

/**
 * Everything that is kept about a person, for the person. Secrets by which others could act for them are left out: keys of
 * configs (each has its own download), the hash of the password, tokens of sessions.
 */
export async function exportAccount(deps: Deps, person: Person, locale: Locale): Promise<object> {
  const { db } = deps;
  const now = deps.clock.now();
  const periods = await listPeriods(db, person.id, ALL);
  const avatar = person.avatar_id === null ? undefined : await findPicture(db, person.avatar_id);
  return {
    exported_at: now.toISOString(),
    profile: await readProfile(deps, person),
    avatar: avatar ? { type: 'image/webp', base64: avatar.toString('base64') } : null,
    settings: await readSettings(deps, person.id),
    notifications_by_mail: (await readChoices(db, person.id)).kinds,
    sign_in: {
      sessions: await listSignIns(db, person.id, ALL.size),
      providers: await listIdentities(db, person.id),
    },
    configs: await listConfigs(deps, person),
    config_events: await listConfigEvents(db, person.id, ALL.size),
    connections: (await listConnections(db, person.id, ALL, now)).rows,
    usage_by_hour: await selectUsageByHour(db, person.id),
    wallet: await listWalletLines(db, person.id, ALL, locale),
    payments: (await listPayments(deps, person.id, {}, ALL, locale)).payments,
    subscriptions: await describePeriods(db, periods.periods, locale, now),
    notifications: await listAllNotices(db, person.id, locale),
  };
}

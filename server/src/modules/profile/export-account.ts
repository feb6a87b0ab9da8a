import type { Locale } from '@raha/contract/locale.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { SmsSender } from '../../platform/sms.ts';
import { findPicture } from '../accounts/pictures.ts';
import type { User } from '../accounts/users.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { listConfigEvents, listConfigs } from '../configs/list-configs.ts';
import { listFactors } from '../factors/list-factors.ts';
import { listAllDocuments } from '../invoices/list-documents.ts';
import { listConnections } from '../metering/connections.ts';
import { selectUsageByHour } from '../metering/usage-series.ts';
import { readChoices } from '../notifications/email-choices.ts';
import { listAllNotifications } from '../notifications/list-notifications.ts';
import { describePeriods } from '../plan-sales/describe-subscription.ts';
import { listIdentities, listSignIns } from '../sessions/list-sign-ins.ts';
import { listPeriods } from '../subscriptions/plans.ts';
import { listPayments } from '../wallet/payment-list.ts';
import { listWalletLines } from '../wallet/wallet-lines.ts';
import { listOperatorActions } from './operator-actions.ts';
import { readProfile, readSettings } from './read-profile.ts';

type Deps = ConfigDeps & {
  readonly db: Database;
  readonly clock: Clock;
  readonly sms: SmsSender | undefined;
  readonly publicUrl: string;
};

/** Large enough to read every list as a whole. */
const ALL = { number: 1, size: 1_000_000 } as const;

/**
 * All stored data about a user, for the user. Secrets with which others could act for the user are left out: keys of
 * configs (each has its own download), the password's hash, session tokens, and the secrets and keys of factors.
 */
export async function exportAccount(deps: Deps, user: User, locale: Locale): Promise<object> {
  const { db } = deps;
  const now = deps.clock.now();
  const periods = await listPeriods(db, user.id, ALL);
  const avatar = user.avatar_id === null ? undefined : await findPicture(db, user.avatar_id);
  return {
    exported_at: now.toISOString(),
    profile: await readProfile(deps, user),
    avatar: avatar ? { type: 'image/webp', base64: avatar.toString('base64') } : null,
    settings: await readSettings(deps, user.id),
    notifications_by_mail: (await readChoices(db, user.id)).kinds,
    sign_in: {
      sessions: await listSignIns(db, user.id, ALL.size),
      providers: await listIdentities(db, user.id),
      factors: await describeFactors(deps, user.id),
    },
    operator_actions: await listOperatorActions(db, user.id, ALL.size),
    configs: await listConfigs(deps, user),
    config_events: await listConfigEvents(db, user.id, ALL.size),
    connections: (await listConnections(db, user.id, ALL, now)).rows,
    usage_by_hour: await selectUsageByHour(db, user.id),
    wallet: (await listWalletLines(db, user.id, ALL, locale)).transactions,
    payments: (await listPayments(deps, user.id, {}, ALL, locale)).payments,
    invoices: await listAllDocuments(db, user.id, locale),
    subscriptions: await describePeriods(deps, periods.periods, locale, now),
    notifications: await listAllNotifications(db, user.id, locale),
  };
}

async function describeFactors({ db, publicUrl }: Deps, userId: string): Promise<object> {
  const { passkey_host: _, ...factors } = await listFactors(db, publicUrl, userId);
  return factors;
}

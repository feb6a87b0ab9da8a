import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import type { Config, Connection, Server } from '@raha/contract/public/configs.ts';
import type { Dashboard, Recommendation, SubscriptionOverview } from '@raha/contract/public/dashboard.ts';
import type { Service } from '@raha/contract/public/service.ts';
import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import type { RowsOfEach } from '../../platform/statements.ts';
import { describeTrial } from '../accounts/describe-trial.ts';
import { hasService, isInTrial, type User } from '../accounts/users.ts';
import { describePlanState, planPeriods } from '../billing/read-plan.ts';
import { connectionOf } from '../configs/connection-state.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { describeAll, listConfigs, nodesAndConfigs } from '../configs/list-configs.ts';
import type { UserAccounts } from '../ledger/user-accounts.ts';
import { hasOpenLease } from '../metering/leases.ts';
import { hoursAtPace } from '../metering/rules.ts';
import { describePeriods } from '../plan-sales/describe-subscription.ts';
import { estimatedPrice } from '../pricing/price.ts';
import type { SignedInCaller } from '../sessions/caller.ts';
import { readService } from '../sessions/read-service.ts';
import { isGiving } from '../subscriptions/allowance.ts';
import { daysLeft, decideAdvance } from '../subscriptions/rules.ts';
import { type Advice, decideAdvice, decideStatus } from './rules.ts';
import type { LastDay } from './traffic.ts';

/** A user without service has none. */
export async function readConfigs(deps: ConfigDeps, caller: SignedInCaller): Promise<Config[]> {
  if (!(await hasService(deps.db, caller.user, deps.clock.now()))) return [];
  return await listConfigs(deps, caller.user, caller);
}

/** What the first page says about an account, read once. */
export interface Overview {
  readonly now: Date;
  readonly service: Service;
  /** A plan or the trial pays, not the wallet. */
  readonly isOthersPaying: boolean;
  readonly configs: readonly Config[];
  /** Whether a device is connected; null without service. */
  readonly connection: () => Promise<Connection | null>;
  readonly plan: Subscription | undefined;
  /** Toman, reserved money included. */
  readonly balance: number;
  readonly servers: readonly Server[];
  readonly trial: SubscriptionOverview['trial'];
  readonly priceMilliToman: bigint;
  /** The trial is enough to create configs. */
  readonly isTrialEnough: boolean;
}

/** What an overview is made of. */
export function overviewReads(userId: string, now: Date) {
  return [planPeriods({ userId, now }), nodesAndConfigs({ userId })] as const;
}

export async function describeOverview(
  deps: ConfigDeps,
  caller: SignedInCaller,
  [periods, nodes]: RowsOfEach<ReturnType<typeof overviewReads>>,
  locale: Locale,
): Promise<Overview> {
  const { user, accounts } = caller;
  const now = deps.clock.now();
  const { db, clock } = deps;
  const isServed = await hasService(db, user, now);
  const plan = describePlanState(periods, now);
  const { states, configs, servers } = await describeAll(deps, user, nodes, { accounts, plan });
  const { current } = decideAdvance(plan.periods, now);
  // All are described, because whether one is expiring depends on the one that follows it.
  const described = await describePeriods(deps, plan.periods, locale, now, plan.usedBytes);
  return {
    now,
    isOthersPaying: isGiving(plan.allowance) || (isInTrial(user, now) && caller.trial?.ended_at === null),
    service: await readService(
      { db, clock, hasAllowance: async (id) => isGiving(plan.allowance) || (await hasOpenLease(db, id)) },
      caller,
    ),
    configs: isServed ? configs : [],
    connection: async () => (isServed ? await connectionOf(deps, states, configs) : null),
    plan: described.find(({ id }) => id === current?.id),
    balance: describeBalance(accounts).balance,
    servers,
    trial: await describeTrial(deps.db, user, caller.trial, now),
    priceMilliToman: (await estimatedPrice(deps.db, deps.exchangeRate, user, now)).milliToman,
    isTrialEnough: user.activated_at === null && isInTrial(user, now) && isServed,
  };
}

export function describeSubscription(
  user: User,
  { now, plan, configs, servers, trial }: Overview,
): SubscriptionOverview {
  const isActivated = user.activated_at !== null;
  const decided = decideStatus({ isActivated, trialEndsAt: user.trial_ends_at, hasPlan: plan !== undefined, now });
  const trialEnd = decided.isTrial ? user.trial_ends_at : null;
  return {
    ...decided,
    id: plan?.id ?? null,
    plan: plan
      ? {
          id: plan.plan.id,
          name: plan.plan.name,
          traffic_limit: plan.plan.traffic_limit,
          max_mbit: plan.plan.max_mbit ?? null,
          servers_count: servers.length,
        }
      : null,
    endDate: plan?.endDate ?? trialEnd?.toISOString() ?? null,
    daysRemaining: plan?.daysRemaining ?? (trialEnd ? daysLeft({ endsAt: trialEnd }, now) : null),
    days: plan?.plan.duration ?? (trialEnd ? daysLeft({ endsAt: trialEnd }, user.created_at) : null),
    trial,
    traffic_used: plan?.traffic_used ?? 0,
    max_devices: plan?.plan.max_devices ?? null,
    devices_used: configs.length,
  };
}

const paths: Record<Recommendation['kind'], string> = {
  activate: panelPaths.activation,
  top_up: panelPaths.charge,
  create_config: panelPaths.configs,
  change_server: panelPaths.configs,
  renew_plan: panelPaths.plans,
  connect_device: panelPaths.configs,
};

const messages: Record<Recommendation['kind'], { fa: (server: string) => string; en: (server: string) => string }> = {
  activate: {
    fa: () => 'حساب خود را با یک گیفت کارت فعال کنید تا بتوانید کانفیگ بسازید.',
    en: () => 'Activate your account with a gift card to create configs.',
  },
  top_up: {
    fa: () => 'موجودی شما کمتر از یک گیگابایت است. کیف پول را شارژ کنید تا سرویس قطع نشود.',
    en: () => 'Your balance buys less than a gigabyte. Charge the wallet so that service goes on.',
  },
  create_config: { fa: () => 'اولین کانفیگ خود را بسازید.', en: () => 'Create your first config.' },
  change_server: {
    fa: (server) => `سرور کنونی شما شلوغ است؛ ${server} خلوت‌تر است.`,
    en: (server) => `Your server is busy; ${server} is less so.`,
  },
  renew_plan: { fa: () => 'اشتراک شما رو به پایان است. آن را تمدید کنید.', en: () => 'Your plan ends soon. Renew it.' },
  connect_device: {
    fa: () => 'کانفیگ شما آماده است؛ آن را روی دستگاه خود باز کنید.',
    en: () => 'Your config is ready; open it on your device.',
  },
};

type Outlook = NonNullable<Dashboard['outlook']>;

/** Nothing is said while a plan or a trial pays: then the wallet does not become less. */
export function decideOutlook(overview: Overview, lastDay: LastDay): Outlook | undefined {
  if (overview.service.state !== 'on' || overview.isOthersPaying) return undefined;
  const hours = hoursAtPace(BigInt(overview.balance), lastDay.chargedToman);
  if (hours === undefined) return undefined;
  const isLow = hours <= limits.notifications.shownLowHours;
  return { hours, isLow, day_bytes: toWire(lastDay.bytes), day_charged: toWire(lastDay.chargedToman) };
}

export function recommend(user: User, overview: Overview, locale: Locale, outlook?: Outlook): Recommendation[] {
  const advice = decideAdvice({
    isActivated: user.activated_at !== null,
    isTrialEnough: overview.isTrialEnough,
    isUnpaid: isUnpaid(overview),
    isLowAtPace: outlook?.isLow,
    balanceToman: BigInt(overview.balance),
    priceMilliToman: overview.priceMilliToman,
    plan: overview.plan && { isExpiring: overview.plan.isExpiring },
    configs: overview.configs.map(({ connected, server, lastUsed }) => ({
      connected,
      serverId: server.id,
      used: lastUsed !== null,
    })),
    servers: overview.servers.map(({ id, isOnline, performance, name }) => ({
      id,
      isOnline,
      load: performance.currentLoad,
      name,
    })),
  });
  return advice.map((found) => describe(found, overview, locale, outlook));
}

function describe(
  { kind, server = '' }: Advice,
  overview: Overview,
  locale: Locale,
  outlook: Outlook | undefined,
): Recommendation {
  if (kind === 'top_up' && outlook) return { kind, message: lasts[locale](outlook.hours), href: paths[kind] };
  const { state, cause } = overview.service;
  const isCut = kind === 'top_up' && state === 'cut';
  const message = isCut
    ? cutMessages[cause ?? 'money']
    : kind === 'top_up' && isUnpaid(overview)
      ? empty
      : messages[kind];
  return { kind, message: message[locale](server), href: paths[kind] };
}

function isUnpaid({ service }: Overview): boolean {
  return service.state === 'cut' || service.state === 'empty';
}

const lasts = {
  fa: (hours: number) =>
    hours < 1
      ? 'موجودی برای کمتر از یک ساعت دیگر بس است، با مصرف ۲۴ ساعت گذشته.'
      : `موجودی برای حدود ${formatNumber(hours)} ساعت دیگر بس است، با مصرف ۲۴ ساعت گذشته.`,
  en: (hours: number) =>
    hours < 1
      ? 'Your balance lasts for less than an hour more, at the pace of the last 24 hours.'
      : `Your balance lasts for about ${hours} hours more, at the pace of the last 24 hours.`,
};

const cutMessages: Record<NonNullable<Service['cause']>, (typeof messages)['top_up']> = {
  money: {
    fa: () => 'موجودی تمام شد، اینترنت قطع است. با شارژ، همان لحظه برمی‌گردد.',
    en: () => 'Your balance is used up and the internet is cut. A top-up brings it back at once.',
  },
  plan: {
    fa: () => 'پلن تمام شد، اینترنت قطع است. با شارژ، همان لحظه برمی‌گردد.',
    en: () => 'Your plan is used up and the internet is cut. A top-up brings it back at once.',
  },
  trial: {
    fa: () => 'دورهٔ رایگان تمام شد، اینترنت قطع است. با شارژ، همان لحظه برمی‌گردد.',
    en: () => 'The free trial is used up and the internet is cut. A top-up brings it back at once.',
  },
};

const empty: (typeof messages)['top_up'] = {
  fa: () => 'کیف پول خالی است. آن را شارژ کنید تا کانفیگ‌ها کار کنند.',
  en: () => 'The wallet is empty. Charge it so that configs work.',
};

export function describeBalance({ walletToman, leaseToman }: UserAccounts): { balance: number; reserved: number } {
  return { balance: toWire(walletToman + leaseToman), reserved: toWire(leaseToman) };
}

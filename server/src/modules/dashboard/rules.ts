import type { Recommendation, SubscriptionOverview } from '@raha/contract/public/dashboard.ts';

/** The facts about a user from which the dashboard's recommendations follow. */
export interface Situation {
  readonly isActivated: boolean;
  readonly isTrialEnough: boolean;
  /** Nothing passes until somebody pays: that comes first and alone. */
  readonly isUnpaid: boolean;
  /** Whether the balance lasts for hours only at the pace of the last day; absent without a pace. */
  readonly isLowAtPace?: boolean | undefined;
  readonly balanceToman: bigint;
  /** Thousandths of a toman per GB; 0 while usage is free. */
  readonly priceMilliToman: bigint;
  readonly plan: { readonly isExpiring: boolean } | undefined;
  readonly configs: readonly { readonly connected: boolean; readonly serverId: string; readonly used: boolean }[];
  readonly servers: readonly {
    readonly id: string;
    readonly isOnline: boolean;
    readonly load: number;
    readonly name: string;
  }[];
}

/** A balance that buys less than this many GB is low. */
const LOW_GB = 1n;
/** A server at this load is worth leaving for one with at most half of it. */
const BUSY_LOAD = 0.8;

export interface Advice {
  readonly kind: Recommendation['kind'];
  /** The recommended server, for `change_server`. */
  readonly server?: string;
}

/** Recommendations, most urgent first; empty when all is well. */
export function decideAdvice(situation: Situation): Advice[] {
  const { isActivated, isTrialEnough, configs, plan } = situation;
  if (!isActivated && !isTrialEnough) return [{ kind: 'activate' }];
  if (situation.isUnpaid) return [{ kind: isActivated ? 'top_up' : 'activate' }];
  const advice: Advice[] = [];
  const isLow = situation.isLowAtPace ?? situation.balanceToman * 1000n < situation.priceMilliToman * LOW_GB;
  if (!plan && isLow) advice.push({ kind: 'top_up' });
  if (plan?.isExpiring) advice.push({ kind: 'renew_plan' });
  if (configs.length === 0) advice.push({ kind: 'create_config' });
  else if (configs.every(({ used }) => !used)) advice.push({ kind: 'connect_device' });
  const better = betterServer(situation);
  if (better !== undefined) advice.push({ kind: 'change_server', server: better });
  return advice;
}

function betterServer({ configs, servers }: Situation): string | undefined {
  const current = configs.find(({ connected }) => connected);
  const present = servers.find(({ id }) => id === current?.serverId);
  if (!present || present.load < BUSY_LOAD) return undefined;
  const best = servers
    .filter(({ id, isOnline, load }) => isOnline && id !== present.id && load <= present.load / 2)
    .sort((a, b) => a.load - b.load)[0];
  return best?.name;
}

/**
 * The state of a user's subscription (specification 2, section 4): a running plan is `limited`, an activated account
 * `perpetual`; a trial is neither paid nor activated.
 */
export function decideStatus(user: {
  readonly isActivated: boolean;
  readonly trialEndsAt: Date | null;
  readonly hasPlan: boolean;
  readonly now: Date;
}): Pick<SubscriptionOverview, 'type' | 'status' | 'isTrial' | 'isActive'> {
  if (user.hasPlan) return { type: 'limited', status: 'active', isTrial: false, isActive: true };
  if (user.isActivated) return { type: 'perpetual', status: 'active', isTrial: false, isActive: true };
  if (user.trialEndsAt && user.trialEndsAt > user.now) {
    return { type: null, status: 'trial', isTrial: true, isActive: false };
  }
  return { type: null, status: user.trialEndsAt ? 'expired' : 'inactive', isTrial: false, isActive: false };
}

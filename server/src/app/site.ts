import { setTimeout as sleep } from 'node:timers/promises';
import type { site } from '@raha/contract/public/site.ts';
import { type Claim, type ClaimName, decideClaim } from '@raha/contract/site-claims.ts';
import { type SiteValues, splitTagline } from '@raha/contract/site-placeholders.ts';
import { trialTerms } from '@raha/contract/trial-terms.ts';
import {
  trialGb,
  trialPasswordDays,
  trialPasswordlessDays,
  trialRequiresActivation,
} from '../modules/accounts/settings.ts';
import { configsPerUser } from '../modules/configs/settings.ts';
import { listNodes } from '../modules/fleet/nodes.ts';
import { describePlan } from '../modules/plan-sales/describe-subscription.ts';
import { getCentsPerGb } from '../modules/pricing/price-versions.ts';
import {
  brandName,
  brandNameEnglish,
  brandTagline,
  brandTaglineEnglish,
  claimSettings,
  supportEmail,
} from '../modules/site/settings.ts';
import { listPlans } from '../modules/subscriptions/plans.ts';
import type { Database } from '../platform/database.ts';
import type { Handlers } from '../platform/http/mount.ts';
import { getSetting } from '../platform/settings.ts';
import type { Deps } from './deps.ts';

export function siteRoutes(deps: Deps): Handlers<typeof site, unknown, unknown> {
  return {
    async getSite() {
      const { db, clock } = deps;
      return {
        success: true,
        data: {
          brand: await getSetting(db, brandName),
          supportEmail: await getSetting(db, supportEmail),
          usdCentsPerGb: await getCentsPerGb(db, clock.now()),
          trialDays: {
            passwordless: await getSetting(db, trialPasswordlessDays),
            password: await getSetting(db, trialPasswordDays),
            gb: await getSetting(db, trialGb),
            requiresActivation: await getSetting(db, trialRequiresActivation),
          },
        },
      };
    },
    async getPrices({ locale }) {
      const { db, clock } = deps;
      const rate = await deps.exchangeRate.current(db);
      const now = clock.now();
      const cents = await getCentsPerGb(db, now);
      const plans = (await listPlans(db, now)).filter((plan) => plan.isOn);
      return {
        success: true,
        data: {
          usdCentsPerGb: cents,
          tomanPerGb: rate ? Math.floor((cents * rate.tomanPerUsd) / 100) : null,
          rateSource: rate?.origin ?? null,
          plans: plans.map((plan) => describePlan(plan, locale)),
        },
      };
    },
  };
}

/** The operator's settings that pages show. */
async function readSiteValues({ db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<SiteValues> {
  const persian = splitTagline(await getSetting(db, brandTagline));
  const english = splitTagline(await getSetting(db, brandTaglineEnglish));
  return {
    tagline: persian.whole,
    taglineFirst: persian.first,
    taglineSecond: persian.second,
    taglineEnglish: english.whole,
    taglineEnglishFirst: english.first,
    taglineEnglishSecond: english.second,
    brand: await getSetting(db, brandName),
    brandEnglish: await getSetting(db, brandNameEnglish),
    supportEmail: await getSetting(db, supportEmail),
    passwordDays: await getSetting(db, trialPasswordDays),
    passwordlessDays: await getSetting(db, trialPasswordlessDays),
    ...trialTerms(await getSetting(db, trialGb), await getSetting(db, trialRequiresActivation)),
    claims: await readClaims(db, config.simulatorsAllowed),
    demonstrations: config.simulatorsAllowed,
    usdCentsPerGb: await getCentsPerGb(db, clock.now()),
    configsPerUser: await getSetting(db, configsPerUser),
    sampleData: config.sampleData ? 'on' : 'off',
  };
}

async function readClaims(db: Database, simulatorsAllowed: boolean): Promise<SiteValues['claims']> {
  const isProduction = !simulatorsAllowed;
  const nodes = isProduction ? (await listNodes(db)).filter(({ status }) => status === 'active') : [];
  const known: Partial<Record<ClaimName, number | undefined>> = {
    // "0 servers" says nothing.
    servers: nodes.length || undefined,
    countries: new Set(nodes.map(({ country }) => country)).size || undefined,
    devices: await getSetting(db, configsPerUser),
  };
  const claims = Object.entries(claimSettings).map(async ([key, setting]) => {
    const name = key as ClaimName;
    const stated = await getSetting(db, setting);
    return [name, decideClaim(name, stated, { known: known[name], isProduction })] as const;
  });
  return Object.fromEntries(await Promise.all(claims)) as Record<ClaimName, Claim>;
}

/**
 * The site values, cached for a few seconds; the last ones stay valid while the database is unavailable, and no page waits for one
 * that does not answer.
 */
export async function siteValuesOf(deps: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<() => Promise<SiteValues>> {
  let values = await readSiteValues(deps);
  let at = deps.clock.now().getTime();
  let reading: Promise<void> | undefined;
  const read = async () => {
    const now = deps.clock.now().getTime();
    try {
      values = await readSiteValues(deps);
      at = now;
    } catch {
      // The last ones stay.
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (Math.abs(deps.clock.now().getTime() - at) < FRESH_MS) return values;
    reading ??= read();
    await Promise.race([reading, sleep(PATIENCE_MS, undefined, { ref: false })]);
    return values;
  };
}

const PATIENCE_MS = 300;

const FRESH_MS = 3_000;

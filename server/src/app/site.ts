import type { site } from '@raha/contract/public/site.ts';
import { type SiteValues, splitTagline } from '@raha/contract/site-places.ts';
import type { Handlers } from '../platform/http/mount.ts';
import { getSetting } from '../platform/settings.ts';
import type { Deps } from './deps.ts';

export function siteRoutes(deps: Deps): Handlers<typeof site, unknown, unknown> {
  return {
    async getSite() {
      const { db } = deps;
      return {
        success: true,
        data: {
          brand: await getSetting(db, 'brand.name'),
          supportEmail: await getSetting(db, 'brand.supportEmail'),
          usdCentsPerGb: await getSetting(db, 'price.usdCentsPerGb'),
          trialDays: {
            passwordless: await getSetting(db, 'trial.passwordlessDays'),
            password: await getSetting(db, 'trial.passwordDays'),
          },
        },
      };
    },
  };
}

/** What pages show of the operator's settings. */
async function readSiteValues({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<SiteValues> {
  const persian = splitTagline(await getSetting(db, 'brand.tagline'));
  const english = splitTagline(await getSetting(db, 'brand.taglineEnglish'));
  return {
    tagline: persian.whole,
    taglineFirst: persian.first,
    taglineSecond: persian.second,
    taglineEnglish: english.whole,
    taglineEnglishFirst: english.first,
    taglineEnglishSecond: english.second,
    brand: await getSetting(db, 'brand.name'),
    brandEnglish: await getSetting(db, 'brand.nameEnglish'),
    supportEmail: await getSetting(db, 'brand.supportEmail'),
    passwordDays: await getSetting(db, 'trial.passwordDays'),
    passwordlessDays: await getSetting(db, 'trial.passwordlessDays'),
    countries: await getSetting(db, 'claims.countries'),
    servers: await getSetting(db, 'claims.servers'),
    monthlyPriceToman: await getSetting(db, 'claims.monthlyPriceToman'),
    othersFromToman: await getSetting(db, 'claims.othersFromToman'),
    othersToToman: await getSetting(db, 'claims.othersToToman'),
    devices: await getSetting(db, 'claims.devices'),
    rating: await getSetting(db, 'claims.rating'),
    packageToman: await getSetting(db, 'claims.packageToman'),
    usdCentsPerGb: await getSetting(db, 'price.usdCentsPerGb'),
    configsPerUser: await getSetting(db, 'configs.perUser'),
    sampleData: config.sampleData ? 'on' : 'off',
  };
}

/** The same, asked again at most every few seconds; while the database is away the last ones stand. */
export function siteValuesOf(deps: Pick<Deps, 'db' | 'clock' | 'config'>): () => Promise<SiteValues> {
  let known: { readonly values: SiteValues; readonly at: number } | undefined;
  return async () => {
    const now = deps.clock.now().getTime();
    if (known && now - known.at < FRESH_MS) return known.values;
    try {
      known = { values: await readSiteValues(deps), at: now };
    } catch (error) {
      if (!known) throw error;
    }
    return known.values;
  };
}

const FRESH_MS = 3_000;

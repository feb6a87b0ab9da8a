import type { site } from '@raha/contract/public/site.ts';
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

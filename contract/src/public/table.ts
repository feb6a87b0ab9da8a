import { auth } from './auth.ts';
import { configs, connection } from './configs.ts';
import { currency } from './currency.ts';
import { dashboard } from './dashboard.ts';
import { giftCards } from './gift-cards.ts';
import { notifications } from './notifications.ts';
import { password } from './password.ts';
import { payments } from './payments.ts';
import { realtime } from './realtime.ts';
import { sessions } from './sessions.ts';
import { site } from './site.ts';
import { social } from './social.ts';
import { stores } from './stores.ts';
import { subscriptions } from './subscriptions.ts';
import { wallet } from './wallet.ts';

/** Every call of the product's API, below `/api/v1`. */
export const publicEndpoints = {
  ...auth,
  ...password,
  ...sessions,
  ...social,
  ...site,
  ...wallet,
  ...payments,
  ...giftCards,
  ...stores,
  ...subscriptions,
  ...currency,
  ...configs,
  ...connection,
  ...dashboard,
  ...notifications,
  ...realtime,
};
export const API_BASE = '/api/v1';

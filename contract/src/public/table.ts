import { auth } from './auth.ts';
import { configs, connection } from './configs.ts';
import { currency } from './currency.ts';
import { dashboard } from './dashboard.ts';
import { factorSignIn, factors } from './factors.ts';
import { familyCalls } from './family.ts';
import { giftCards } from './gift-cards.ts';
import { invoices } from './invoices.ts';
import { network } from './network.ts';
import { notifications } from './notifications.ts';
import { password } from './password.ts';
import { payments } from './payments.ts';
import { profileCalls } from './profile.ts';
import { reachCalls } from './reach.ts';
import { realtime } from './realtime.ts';
import { servers } from './servers.ts';
import { sessions } from './sessions.ts';
import { site } from './site.ts';
import { social } from './social.ts';
import { statement } from './statement.ts';
import { stores } from './stores.ts';
import { subscriptions } from './subscriptions.ts';
import { wallet } from './wallet.ts';

/** Every call of the product's API, below `/api/v1`. */
export const publicEndpoints = {
  ...auth,
  ...password,
  ...sessions,
  ...social,
  ...factorSignIn,
  ...factors,
  ...site,
  ...wallet,
  ...statement,
  ...payments,
  ...invoices,
  ...giftCards,
  ...stores,
  ...subscriptions,
  ...currency,
  ...configs,
  ...connection,
  ...familyCalls,
  ...servers,
  ...network,
  ...reachCalls,
  ...dashboard,
  ...notifications,
  ...realtime,
  ...profileCalls,
};
export const API_BASE = '/api/v1';

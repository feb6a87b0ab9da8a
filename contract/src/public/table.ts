import { auth } from './auth.ts';
import { configs, connection } from './configs.ts';
import { currency, giftCards } from './gift-cards.ts';
import { realtime } from './realtime.ts';
import { wallet } from './wallet.ts';

/** Every call of the product's API, below `/api/v1`. */
export const publicEndpoints = {
  ...auth,
  ...wallet,
  ...giftCards,
  ...currency,
  ...configs,
  ...connection,
  ...realtime,
};
export const API_BASE = '/api/v1';

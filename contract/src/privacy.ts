import { staffLimits } from './admin/limits.ts';
import { limits } from './limits.ts';

/**
 * What our pages keep in a browser, and what we send to others. The privacy page is written from these lists, and tests compare
 * them with what really happens: a new cookie or a new field is added here, and the page then says so.
 */
const { session, factors, family, keptDays } = limits;
const DAY = 86_400;

export type CookiePurpose =
  | 'session'
  | 'known_browser'
  | 'second_step'
  | 'social_sign_in'
  | 'language'
  | 'family_page'
  | 'console';

/** By the cookie's name, what it is for and its longest life in seconds. */
export const cookies: Readonly<Record<string, { readonly purpose: CookiePurpose; readonly seconds: number }>> = {
  auth_token: { purpose: 'session', seconds: session.rememberMeDays * DAY },
  user_data: { purpose: 'session', seconds: session.rememberMeDays * DAY },
  refreshToken: { purpose: 'session', seconds: session.rememberMeDays * DAY },
  device: { purpose: 'known_browser', seconds: keptDays.devices * DAY },
  second_step: { purpose: 'second_step', seconds: factors.pendingSignInSeconds },
  // Of the people who work for the operator; nobody else gets them.
  staff_session: { purpose: 'console', seconds: staffLimits.session.hours * 3_600 },
  staff_sign_in: { purpose: 'console', seconds: factors.pendingSignInSeconds },
  social: { purpose: 'social_sign_in', seconds: 600 },
  family: { purpose: 'family_page', seconds: family.shownSeconds },
  locale: { purpose: 'language', seconds: 365 * DAY },
};

/** Names in the browser's storage: until its owner clears it, with the session, or only until the tab is closed. */
export const browserStorage: Readonly<Record<string, 'kept' | 'session' | 'tab'>> = {
  theme: 'kept',
  'auto-connect': 'kept',
  // The last figures of the dashboard, and the files of configs that were saved on this device.
  'last-known': 'session',
  'sign-in': 'tab',
  'verify-email': 'tab',
  destination: 'tab',
  oauth_state: 'tab',
  oauth_provider: 'tab',
  'store-visit': 'tab',
  'sample-wallet': 'tab',
};

/**
 * What our database keeps of a user, in the order of the privacy page, which has a sentence for each. A test assigns every column
 * of every table to one of these, or to none of them.
 */
export const keptData = [
  'account',
  'choices',
  'sign_in',
  'config',
  'usage',
  'money',
  'messages',
  'support',
  'trial',
] as const;
export type KeptDatum = (typeof keptData)[number];

/** What a recipient learns of a user. `none`: our own keys, our own addresses, and the time. */
export type SentDatum =
  | 'none'
  | 'amount'
  | 'purpose'
  | 'payment_number'
  | 'bank_reference'
  | 'visit_number'
  | 'account_number'
  | 'email'
  | 'phone'
  | 'message_code'
  | 'push_address'
  | 'sealed_news';
export type Recipient = 'bank' | 'store' | 'text_message' | 'push_service';

/** By recipient, each field that is sent and what it says of the user. */
export const sentFields: Readonly<Record<Recipient, Readonly<Record<string, SentDatum>>>> = {
  bank: {
    // Zarinpal, and its panel for refunds
    merchant_id: 'none',
    amount: 'amount',
    currency: 'none',
    callback_url: 'payment_number',
    description: 'purpose',
    'metadata.order_id': 'payment_number',
    authority: 'bank_reference',
    query: 'none',
    'variables.sessionId': 'bank_reference',
    'variables.amount': 'amount',
    'variables.description': 'purpose',
    // IDPay
    id: 'bank_reference',
    order_id: 'payment_number',
    callback: 'payment_number',
    desc: 'purpose',
    // NextPay
    api_key: 'none',
    trans_id: 'bank_reference',
    callback_uri: 'payment_number',
    payer_desc: 'purpose',
    refund_request: 'none',
  },
  store: {
    ref: 'visit_number',
    user_id: 'account_number',
    user_email: 'email',
    return_url: 'none',
    nonce: 'none',
    exp: 'none',
    kid: 'none',
    sig: 'none',
  },
  text_message: { receptor: 'phone', template: 'none', token: 'message_code' },
  // RFC 8030, with the names of its headers.
  push_service: {
    address: 'push_address',
    body: 'sealed_news',
    authorization: 'none',
    'content-encoding': 'none',
    'content-type': 'none',
    ttl: 'none',
    urgency: 'none',
    topic: 'none',
  },
};

/** What a recipient learns of a user, each once. */
export function learnedBy(recipient: Recipient): SentDatum[] {
  return [...new Set(Object.values(sentFields[recipient]))].filter((datum) => datum !== 'none');
}

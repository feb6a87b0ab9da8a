/**
 * Search parameters are parsed by hand: validators are never code-split, so a schema library would be loaded on every
 * page.
 */
type Raw = Record<string, unknown>;

const signInSteps = ['email', 'verification', 'second-step', 'profile'] as const;
export type SignInStep = (typeof signInSteps)[number];

export function readSignInSearch(raw: Raw): { step?: SignInStep; method?: 'password' } {
  // The owner of the token decides the target; until then no guard may redirect without the token.
  if (raw.token) return {};
  const step = signInSteps.find((known) => known === raw.step);
  if (step) return { step };
  // For a new user with a session; without one the guard redirects.
  if (raw.new_user === 'true') return { step: 'profile' };
  return raw.method === 'password' ? { method: 'password' } : {};
}

export interface ActivationSearch {
  gift_code?: string;
  code?: string;
  gift_card_code?: string;
  auto_submit?: true;
  /** Set when a store has sent the user back; the name of the store, if it gave one. */
  store_redirect?: 'success';
  store?: string;
  /** Opens the form for an activated user as well: a later card credits the wallet. */
  redeem?: true;
}

export function readActivationSearch(raw: Raw): ActivationSearch {
  const search: ActivationSearch = {};
  for (const name of ['gift_code', 'code', 'gift_card_code'] as const) {
    const code = text(raw[name]);
    if (code) search[name] = code.slice(0, 64);
  }
  const store = text(raw.store) || text(raw.site);
  if (raw.store_redirect === 'success' || (isOn(raw.payment_success) && store)) {
    search.store_redirect = 'success';
    if (/^[\w.-]{1,40}$/.test(store)) search.store = store;
  }
  if (isOn(raw.auto_submit)) search.auto_submit = true;
  if (isOn(raw.redeem)) search.redeem = true;
  return search;
}

export const configFilters = ['all', 'active', 'inactive', 'expired'] as const;
export type ConfigFilter = (typeof configFilters)[number];

export function readConfigsSearch(raw: Raw): { filter?: ConfigFilter } {
  const filter = configFilters.find((known) => known === raw.filter);
  return filter && filter !== 'all' ? { filter } : {};
}

export const profileTabs = ['personal', 'security', 'settings', 'usage'] as const;
export type ProfileTab = (typeof profileTabs)[number];

export function readProfileSearch(raw: Raw): { tab?: ProfileTab } {
  const tab = profileTabs.find((known) => known === raw.tab);
  return tab && tab !== 'personal' ? { tab } : {};
}

function readPageSearch(raw: Raw): { page?: number } {
  const page = Math.floor(Number(raw.page));
  return page > 1 && page <= 100_000 ? { page } : {};
}

export function readServersSearch(raw: Raw): { mode?: 'demo' } {
  return raw.mode === 'demo' ? { mode: raw.mode } : {};
}

/** What of the wallet is shown instead of its transactions. */
export type WalletView = 'statement' | 'invoices';

export function readWalletSearch(raw: Raw): { page?: number; view?: WalletView } {
  return { ...(raw.view === 'statement' || raw.view === 'invoices' ? { view: raw.view } : {}), ...readPageSearch(raw) };
}

export interface ChargeSearch {
  payment?: string;
  outcome?: 'ok' | 'nok';
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readChargeSearch(raw: Raw): ChargeSearch {
  const payment = text(raw.payment);
  if (!uuid.test(payment)) return {};
  return { payment, outcome: raw.outcome === 'ok' ? 'ok' : 'nok' };
}

/** The router may parse `?code=1234` into a number; codes are text. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isOn(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

import {
  readActivationSearch,
  readChargeSearch,
  readConfigsSearch,
  readProfileSearch,
  readServersSearch,
  readSignInSearch,
  readWalletSearch,
} from './search.ts';

const noSearch = (): Record<string, never> => ({});

/** Every address of the panel and of sign-in, with what reads the part after its question mark. */
export const addresses = {
  '/auth/passwordless': readSignInSearch,
  '/register': noSearch,
  '/auth/forgot-password': noSearch,
  '/auth/reset-password': noSearch,
  '/verify-email': noSearch,
  '/auth/callback': noSearch,
  '/auth/google/callback': noSearch,
  '/auth/google': noSearch,
  '/auth/github': noSearch,
  '/user': noSearch,
  '/user/dashboard': noSearch,
  '/user/configs': readConfigsSearch,
  '/user/servers': readServersSearch,
  '/user/subscriptions': readActivationSearch,
  '/user/plans': noSearch,
  '/user/wallet': readWalletSearch,
  '/user/wallet/charge': readChargeSearch,
  '/user/payments': noSearch,
  '/user/profile': readProfileSearch,
  '/user/security': noSearch,
  '/user/upgrade-agent': noSearch,
} as const;

/** Short addresses, of which each leads to the one with the same name in the panel. */
export const shortPaths = ['dashboard', 'configs', 'wallet', 'payments', 'subscriptions', 'profile'] as const;

export type Path = keyof typeof addresses;
export type SearchOf<P extends Path> = ReturnType<(typeof addresses)[P]>;

export function readSearch<P extends Path>(path: P, query: string): SearchOf<P> {
  return addresses[path](Object.fromEntries(new URLSearchParams(query))) as SearchOf<P>;
}

/** An address that came from the server; one that this release does not know leads to the dashboard. */
export function knownPath(href: string): Path {
  return href in addresses ? (href as Path) : '/user/dashboard';
}

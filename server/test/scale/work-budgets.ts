import type { Budget } from './budgets.ts';

/**
 * What the proof of a month may read for each user: one in ten has two payments a month, and in the last days four transfers and 24 hours of
 * usage. Everybody signed up in the first month; what each user has is proved with the month whose share they are in.
 */
export const monthBudget = { rows: 43, pages: 12 };

/** What each schedule may cost, whatever the number of users. `work.test.ts` measures it. */
export const workBudgets: Readonly<Record<string, Budget>> = {
  'prove what is new in the ledger': {
    queries: 80,
    rows: 2600,
    why: 'fifty bookings are new, of users with a day of usage',
  },
  'prove the whole ledger': { queries: 3, rows: 50 },
  'seal again with the newest master key': { queries: 2, rows: 30 },
  'look for causes of alerts': { queries: 20, rows: 400 },
  'send alerts': { queries: 2, rows: 20 },
  'forget old alerts': { queries: 2, rows: 20 },
  'forget old idempotency keys': { queries: 2, rows: 20 },
  'forget old sessions': { queries: 8, rows: 20 },
  'forget old staff sessions': { queries: 4, rows: 20 },
  'forget old passkey challenges': { queries: 2, rows: 20 },
  'read the exchange rate': { queries: 1, rows: 20 },
  'forget old exchange rates': { queries: 3, rows: 20 },
  'invoice the usage of months that are over': { queries: 3, rows: 30 },
  'reconcile refunds of zarinpal': { queries: 2, rows: 20 },
  'reconcile payments of zarinpal': { queries: 2, rows: 20 },
  'sweep unverified payments of zarinpal': { queries: 2, rows: 20 },
  'reconcile refunds of idpay': { queries: 2, rows: 20 },
  'reconcile payments of idpay': { queries: 2, rows: 20 },
  'sweep unverified payments of idpay': { queries: 1, rows: 20 },
  'reconcile refunds of nextpay': { queries: 2, rows: 20 },
  'reconcile payments of nextpay': { queries: 2, rows: 20 },
  'sweep unverified payments of nextpay': { queries: 1, rows: 20 },
  'forget erased accounts that owe nothing': { queries: 2, rows: 20 },
  'forget old calls of gateways': { queries: 2, rows: 20 },
  'compare settlement files with payments again': { queries: 7, rows: 40 },
  'book sold cards that have expired': { queries: 2, rows: 30 },
  'forget old redemptions': { queries: 6, rows: 20 },
  'watch the traffic of nodes': { queries: 3, rows: 40 },
  'forget old connections': { queries: 3, rows: 40 },
  'forget old blocked queries': { queries: 2, rows: 20 },
  'close the hours of reach': { queries: 3, rows: 20 },
  'forget old days of reach': { queries: 3, rows: 20 },
  'book the usage of past hours': { queries: 3, rows: 20 },
  'tell used-up trials': { queries: 2, rows: 40 },
  'mark earlier trials': { queries: 3, rows: 30 },
  'keep monthly caps': { queries: 2, rows: 20 },
  'reclaim idle leases': {
    queries: 3,
    rows: 40_100,
    why: 'it reads at most 20,000 meters each time, each twice',
  },
  'forget unknown recipients': { queries: 2, rows: 20 },
  'leave servers': { queries: 5, rows: 60 },
  'forget ended family links': { queries: 2, rows: 20 },
  'take out blocked entries': { queries: 9, rows: 60 },
  'move blocked entries': { queries: 2, rows: 20 },
  'earn the days of plans': { queries: 2, rows: 30 },
  'follow the versions of plans': { queries: 2, rows: 20 },
  'add up what plans were sold': { queries: 2, rows: 30 },
  'warn of ending plans': { queries: 2, rows: 20 },
  'forget old notifications': { queries: 3, rows: 20 },
  'forget old deliveries': { queries: 2, rows: 20 },
  'go on with bulks': { queries: 1, rows: 20 },
  'forget old phone codes': { queries: 2, rows: 20 },
};

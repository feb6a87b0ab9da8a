import { accountsRetention } from '../modules/accounts/retention.ts';
import { alertsRetention } from '../modules/alerts/retention.ts';
import { auditRetention } from '../modules/audit/retention.ts';
import { bulkRetention } from '../modules/bulk/retention.ts';
import { configsRetention } from '../modules/configs/retention.ts';
import { currencyRetention } from '../modules/currency/retention.ts';
import { dashboardRetention } from '../modules/dashboard/retention.ts';
import { dnsFilteringRetention } from '../modules/dns-filtering/retention.ts';
import { factorsRetention } from '../modules/factors/retention.ts';
import { fleetRetention } from '../modules/fleet/retention.ts';
import { giftCardsRetention } from '../modules/gift-cards/retention.ts';
import { invoicesRetention } from '../modules/invoices/retention.ts';
import { ledgerRetention } from '../modules/ledger/retention.ts';
import { meteringRetention } from '../modules/metering/retention.ts';
import { movementRetention } from '../modules/movement/retention.ts';
import { notificationsRetention } from '../modules/notifications/retention.ts';
import { paymentsRetention } from '../modules/payments/retention.ts';
import { pricingRetention } from '../modules/pricing/retention.ts';
import { profileRetention } from '../modules/profile/retention.ts';
import { reachRetention } from '../modules/reach/retention.ts';
import { sessionsRetention } from '../modules/sessions/retention.ts';
import { settlementsRetention } from '../modules/settlements/retention.ts';
import { staffRetention } from '../modules/staff/retention.ts';
import { subscriptionsRetention } from '../modules/subscriptions/retention.ts';
import { walletRetention } from '../modules/wallet/retention.ts';
import type { TableRetention } from '../platform/retention.ts';

const platformRetention: TableRetention = {
  setting: { ever: 'what the operator has set' },
  idempotent_request: { days: 'answers', after: 'the request', schedule: 'forget old idempotency keys' },
  schedule_run: { ever: 'one row for each schedule: when it last ran' },
  test_bank_session: { ever: 'only on workshops, which have test banks' },
  test_store_nonce: { ever: 'only on workshops, which have test stores' },
};

/** Every table of the schema, by the module that owns it: how long its rows are kept, and why. Decision 74. */
export const retention: readonly TableRetention[] = [
  platformRetention,
  ledgerRetention,
  accountsRetention,
  auditRetention,
  fleetRetention,
  currencyRetention,
  factorsRetention,
  sessionsRetention,
  staffRetention,
  alertsRetention,
  invoicesRetention,
  subscriptionsRetention,
  paymentsRetention,
  settlementsRetention,
  giftCardsRetention,
  meteringRetention,
  pricingRetention,
  reachRetention,
  movementRetention,
  walletRetention,
  configsRetention,
  dnsFilteringRetention,
  dashboardRetention,
  notificationsRetention,
  profileRetention,
  bulkRetention,
];

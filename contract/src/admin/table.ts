import { alerts } from './alerts.ts';
import { approvalCalls } from './approvals.ts';
import { audit } from './audit.ts';
import { bookCalls } from './books.ts';
import { bulkCalls } from './bulk.ts';
import { deliveryCalls } from './deliveries.ts';
import { entryCalls } from './entries.ts';
import { fleet } from './fleet.ts';
import { cardCalls } from './gift-cards.ts';
import { money } from './money.ts';
import { payments } from './payments.ts';
import { people } from './people.ts';
import { planCalls } from './plans.ts';
import { priceCalls } from './prices.ts';
import { reachMapCalls } from './reach.ts';
import { reportCalls } from './reports.ts';
import { staffSessions } from './sessions.ts';
import { settingCalls } from './settings.ts';
import { staff } from './staff.ts';
import { todayCalls } from './today.ts';
import { tokens } from './tokens.ts';

/** Every call of the console, below `/api/v1`. Apart from the public table: none of it is in the panel or its OpenAPI document. */
export const adminEndpoints = {
  ...staffSessions,
  ...staff,
  ...audit,
  ...people,
  ...deliveryCalls,
  ...bulkCalls,
  ...money,
  ...approvalCalls,
  ...payments,
  ...bookCalls,
  ...priceCalls,
  ...planCalls,
  ...cardCalls,
  ...settingCalls,
  ...reportCalls,
  ...fleet,
  ...reachMapCalls,
  ...entryCalls,
  ...todayCalls,
  ...alerts,
  ...tokens,
};

import type { Permission } from '@raha/contract/admin/roles.ts';
import { m } from '../text/generated/messages.js';
import { AlertsScreen } from './alerts/alerts-screen.tsx';
import { AuditScreen } from './audit-screen.tsx';
import { ReconcileScreen } from './books/reconcile-screen.tsx';
import { BulksScreen } from './bulks/bulks-screen.tsx';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { FleetScreen } from './fleet/fleet-screen.tsx';
import { GiftCardsScreen } from './gift-cards/gift-cards-screen.tsx';
import { PaymentsScreen } from './payments/payments-screen.tsx';
import { RefundsScreen } from './payments/refunds-screen.tsx';
import { CorrectionsScreen } from './people/corrections-screen.tsx';
import { PeopleScreen } from './people/people-screen.tsx';
import { PlansScreen } from './plans/plans-screen.tsx';
import { PricesScreen } from './prices/prices-screen.tsx';
import { ReachScreen } from './reach/reach-screen.tsx';
import { ReportsScreen } from './reports/reports-screen.tsx';
import type { Section, SectionGroup } from './section-groups.ts';
import { SessionScreen } from './session-screen.tsx';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { StaffScreen } from './staff-screen.tsx';
import { TodayScreen } from './today-screen.tsx';
import { TokensScreen } from './tokens/tokens-screen.tsx';

/** Of what waits for a second member a role sees its part. */
const decided: readonly Permission[] = ['wallet.adjust', 'approvals.propose'];

/** All there is, in the order of the list. A section that the role may not see is not listed, and says so at its address. */
export const sectionGroups: readonly SectionGroup[] = [
  {
    id: 'now',
    sections: [
      { path: '/admin', name: m.console_today, may: 'today.read', Content: TodayScreen },
      { path: '/admin/alerts', name: m.console_alerts, may: 'alerts.read', Content: AlertsScreen },
    ],
  },
  {
    id: 'people',
    name: m.console_group_people,
    sections: [
      { path: '/admin/people', name: m.console_people, isDeep: true, may: 'people.read', Content: PeopleScreen },
      { path: '/admin/messages', name: m.console_deliveries, may: 'people.read', Content: DeliveriesScreen },
      { path: '/admin/bulks', name: m.console_bulks, isDeep: true, may: 'people.read', Content: BulksScreen },
    ],
  },
  {
    id: 'money',
    name: m.console_group_money,
    sections: [
      {
        path: '/admin/payments',
        name: m.console_payments,
        isDeep: true,
        may: 'payments.read',
        Content: PaymentsScreen,
      },
      { path: '/admin/refunds', name: m.console_refunds, may: 'payments.read', Content: RefundsScreen },
      { path: '/admin/corrections', name: m.console_corrections, may: decided, Content: CorrectionsScreen },
      {
        path: '/admin/reconcile',
        name: m.console_reconcile,
        isDeep: true,
        may: 'payments.read',
        Content: ReconcileScreen,
      },
    ],
  },
  {
    id: 'network',
    name: m.console_group_network,
    sections: [
      { path: '/admin/nodes', name: m.console_fleet, isDeep: true, may: 'fleet.read', Content: FleetScreen },
      { path: '/admin/reach', name: m.console_reach, isDeep: true, may: 'fleet.read', Content: ReachScreen },
    ],
  },
  {
    id: 'sales',
    name: m.console_group_sales,
    sections: [
      { path: '/admin/prices', name: m.console_prices, may: 'prices.read', Content: PricesScreen },
      { path: '/admin/plans', name: m.console_plans, isDeep: true, may: 'prices.read', Content: PlansScreen },
      { path: '/admin/gift-cards', name: m.console_cards, isDeep: true, may: 'cards.read', Content: GiftCardsScreen },
    ],
  },
  {
    id: 'office',
    name: m.console_group_office,
    sections: [
      { path: '/admin/reports', name: m.console_reports, isDeep: true, may: 'reports.read', Content: ReportsScreen },
      { path: '/admin/audit', name: m.console_audit, may: 'audit.read', Content: AuditScreen },
      {
        path: '/admin/settings',
        name: m.console_settings,
        isDeep: true,
        may: 'settings.read',
        Content: SettingsScreen,
      },
      { path: '/admin/staff', name: m.console_staff, may: 'staff.read', Content: StaffScreen },
      { path: '/admin/tokens', name: m.console_tokens, may: 'tokens.manage', Content: TokensScreen },
      { path: '/admin/session', name: m.console_session, Content: SessionScreen },
    ],
  },
];

export function sectionAt(path: string): Section | undefined {
  return sectionGroups
    .flatMap(({ sections }) => sections)
    .find((known) => known.path === path || (known.isDeep && path.startsWith(`${known.path}/`)));
}

import { isPermitted, type Permission, type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { type ComponentType, useEffect, useState } from 'react';
import { m } from '../text/generated/messages.js';
import { currentLocale } from '../text/locale.ts';
import { toggleTheme } from '../ui/theme.ts';
import { AlertsScreen } from './alerts/alerts-screen.tsx';
import { api, hasCode } from './api.ts';
import { AuditScreen } from './audit-screen.tsx';
import { ReconcileScreen } from './books/reconcile-screen.tsx';
import { BulksScreen } from './bulks/bulks-screen.tsx';
import { changeLanguage } from './change-language.ts';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { FleetScreen } from './fleet/fleet-screen.tsx';
import { GiftCardsScreen } from './gift-cards/gift-cards-screen.tsx';
import { usePaletteKey, useRowKeys, useSearchKey } from './keys.ts';
import { Lead } from './lead.tsx';
import { Link } from './link.tsx';
import { Brand } from './mark.tsx';
import { Palette } from './palette.tsx';
import { useAddress } from './path.ts';
import { PaymentsScreen } from './payments/payments-screen.tsx';
import { RefundsScreen } from './payments/refunds-screen.tsx';
import { CorrectionsScreen } from './people/corrections-screen.tsx';
import { PeopleScreen } from './people/people-screen.tsx';
import { isInBar, PhoneBar } from './phone-bar.tsx';
import { PlansScreen } from './plans/plans-screen.tsx';
import { PricesScreen } from './prices/prices-screen.tsx';
import { Problem } from './problem.tsx';
import { ReachScreen } from './reach/reach-screen.tsx';
import { ReportsScreen } from './reports/reports-screen.tsx';
import type { ScreenProps } from './screen-props.ts';
import { SessionScreen } from './session-screen.tsx';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { StaffScreen } from './staff-screen.tsx';
import { TodayScreen } from './today-screen.tsx';
import { TokensScreen } from './tokens/tokens-screen.tsx';
import { useWork } from './use-work.ts';
import { roleNames } from './words.ts';

interface Screen {
  readonly path: string;
  readonly name: () => string;
  /** Also at the addresses below its own: one for each thing of a list. */
  readonly isDeep?: boolean;
  /** What the role needs to see it. */
  readonly may?: Permission | readonly Permission[];
  readonly Content: ComponentType<ScreenProps>;
}

/** Of what waits for a second member a role sees its part. */
const decided: readonly Permission[] = ['wallet.adjust', 'approvals.propose'];

/** All there is. A screen that the role may not see is not listed, and says so at its address. */
const screens: readonly Screen[] = [
  { path: '/admin', name: m.console_today, may: 'today.read', Content: TodayScreen },
  { path: '/admin/people', name: m.console_people, isDeep: true, may: 'people.read', Content: PeopleScreen },
  { path: '/admin/messages', name: m.console_deliveries, may: 'people.read', Content: DeliveriesScreen },
  { path: '/admin/bulks', name: m.console_bulks, isDeep: true, may: 'people.read', Content: BulksScreen },
  { path: '/admin/payments', name: m.console_payments, isDeep: true, may: 'payments.read', Content: PaymentsScreen },
  { path: '/admin/refunds', name: m.console_refunds, may: 'payments.read', Content: RefundsScreen },
  { path: '/admin/corrections', name: m.console_corrections, may: decided, Content: CorrectionsScreen },
  {
    path: '/admin/reconcile',
    name: m.console_reconcile,
    isDeep: true,
    may: 'payments.read',
    Content: ReconcileScreen,
  },
  { path: '/admin/prices', name: m.console_prices, may: 'prices.read', Content: PricesScreen },
  { path: '/admin/plans', name: m.console_plans, isDeep: true, may: 'prices.read', Content: PlansScreen },
  { path: '/admin/reports', name: m.console_reports, isDeep: true, may: 'reports.read', Content: ReportsScreen },
  { path: '/admin/gift-cards', name: m.console_cards, isDeep: true, may: 'cards.read', Content: GiftCardsScreen },
  { path: '/admin/nodes', name: m.console_fleet, isDeep: true, may: 'fleet.read', Content: FleetScreen },
  { path: '/admin/reach', name: m.console_reach, isDeep: true, may: 'fleet.read', Content: ReachScreen },
  { path: '/admin/alerts', name: m.console_alerts, may: 'alerts.read', Content: AlertsScreen },
  { path: '/admin/staff', name: m.console_staff, may: 'staff.read', Content: StaffScreen },
  { path: '/admin/tokens', name: m.console_tokens, may: 'tokens.manage', Content: TokensScreen },
  { path: '/admin/settings', name: m.console_settings, isDeep: true, may: 'settings.read', Content: SettingsScreen },
  { path: '/admin/audit', name: m.console_audit, may: 'audit.read', Content: AuditScreen },
  { path: '/admin/session', name: m.console_session, Content: SessionScreen },
];

export function Shell({ self, onSignedOut }: ScreenProps & { onSignedOut: () => void }) {
  const { path } = useAddress();
  const screen = screens.find((known) => known.path === path || (known.isDeep && path.startsWith(`${known.path}/`)));
  useSearchKey(isPermitted(self.role, 'people.read'));
  useRowKeys();
  const [isSearching, setSearching] = useState(false);
  usePaletteKey(() => setSearching(true));
  // On a phone the sections are one line that scrolls: the open one comes into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another section is open
  useEffect(() => {
    document.querySelector('.c-side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [screen?.path]);
  const sections = screens.filter((known) => isOpen(self.role, known.may));
  const leaving = useWork();
  const signOut = async () => {
    // A session that is over already is what was wanted.
    await api.signOutStaff().catch((error: unknown) => {
      if (!hasCode(error, 'unauthenticated')) throw error;
    });
    onSignedOut();
  };
  return (
    <div className="c-shell">
      <header className="c-side">
        <Brand />
        <nav aria-label={m.console_sections()}>
          <ul>
            {sections.map((known) => (
              <li key={known.path} className={isInBar(known.path) ? 'c-wide' : undefined}>
                <Link to={known.path} isCurrent={known === screen}>
                  {known.name()}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="c-me">
          <bdi dir="ltr">{self.email}</bdi>
          <span>{roleNames[self.role]()}</span>
          <div className="c-buttons">
            <button
              type="button"
              className="c-link c-wide"
              aria-keyshortcuts="Control+K Meta+K"
              onClick={() => setSearching(true)}
            >
              {m.console_palette()}
            </button>
            <button
              type="button"
              className="c-link"
              onClick={changeLanguage}
              lang={currentLocale() === 'fa' ? 'en' : 'fa'}
            >
              {m.console_language()}
            </button>
            <button type="button" className="c-link" onClick={toggleTheme}>
              {m.console_theme()}
            </button>
            <button type="button" className="c-link" onClick={() => void leaving.run(signOut)}>
              {m.console_sign_out()}
            </button>
          </div>
          <Problem sentence={leaving.sentence} />
        </div>
      </header>
      <PhoneBar sections={sections} current={screen?.path} onSearch={() => setSearching(true)} />
      {isSearching ? (
        <Palette
          self={self}
          screens={sections.map(({ path: to, name }) => ({ to, name: name() }))}
          onClose={() => setSearching(false)}
        />
      ) : null}
      <main className="c-page">
        {screen === undefined ? (
          <Lead title={m.console_not_here()} text={m.console_not_here_text()} />
        ) : isOpen(self.role, screen.may) ? (
          <screen.Content key={path} self={self} />
        ) : (
          <Lead title={m.console_no_right()} text={m.console_no_right_text({ roles: rolesWith(screen.may) })} />
        )}
      </main>
    </div>
  );
}

/** One of several permissions is enough. */
function isOpen(role: StaffRole, may: Screen['may'] | undefined): boolean {
  return may === undefined || [may].flat().some((permission) => isPermitted(role, permission));
}

function rolesWith(may: Screen['may'] | undefined): string {
  const roles = staffRoles.filter((role) => isOpen(role, may));
  return new Intl.ListFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en').format(roles.map((role) => roleNames[role]()));
}

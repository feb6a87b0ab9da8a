import type { User } from '@raha/contract/public/auth.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import { now } from '../../../api/clock.ts';
import { isOutOfReach } from '../../../api/or-last-known.ts';
import { configsQuery, connectionQuery, dashboardQuery } from '../../../api/queries.ts';
import { hasService } from '../../../api/session.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useOnline } from '../../../components/use-online.ts';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';
import { ConnectionCard, type ConnectionState } from '../configs/connection-card.tsx';
import type { OpenDialog } from '../configs/open-dialog.ts';
import { useConfigActions } from '../configs/use-config-actions.ts';
import { hasUsedNothing } from '../first-steps/decide-steps.ts';
import { AdviceList } from './advice-list.tsx';
import { ConfigRows } from './config-rows.tsx';
import { DashboardSkeleton } from './dashboard-skeleton.tsx';
import { RecentPayments } from './recent-payments.tsx';
import { SubscriptionCard } from './subscription-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { WalletCard } from './wallet-card.tsx';

const loadCut = () => import('./cut-card.tsx');
const CutCard = lazy(loadCut);
const CalmCard = lazy(async () => ({ default: (await loadCut()).CalmCard }));
const OfflineDashboard = lazy(() => import('./offline-dashboard.tsx'));
const LowCard = lazy(() => import('./low-card.tsx'));
const ConfigDialogs = lazy(() => import('../configs/config-dialogs.tsx'));
const FirstDashboard = lazy(() => import('../first-steps/first-dashboard.tsx'));

/** The first page of the panel: whether one is protected, what it costs, what is left. */
export default function DashboardPage() {
  useTitle(m.nav_dashboard());
  const me = useMe();
  const dashboard = useQuery(dashboardQuery);
  const online = useOnline();
  const isServed = hasService(me, now());
  const connection = useQuery({ ...connectionQuery, enabled: isServed }).data;
  const { data } = dashboard;
  const { isUnpaid } = serviceOf(data, me);
  const isNew = data !== undefined && !isUnpaid && hasUsedNothing(data.quickStats, data.activeConfigs);
  // Only where they are shown. What is disconnected is not among the active ones, and is what one connects with.
  const areShown = isUnpaid || isNew || connection?.state === 'disconnected';
  const configs = useQuery({ ...configsQuery, enabled: isServed && areShown });
  const [dialog, setDialog] = useState<OpenDialog>();

  if (dashboard.isError && !dashboard.data) {
    return (
      <FailureCard
        title={m.dashboard_failed()}
        error={dashboard.error}
        busy={dashboard.isFetching}
        onRetry={() => void dashboard.refetch()}
      />
    );
  }
  if (!data) return <DashboardSkeleton />;
  if (!online || data.knownAt !== undefined || isOutOfReach(dashboard.error)) {
    return (
      <Suspense fallback={<DashboardSkeleton />}>
        <OfflineDashboard
          balance={data.knownAt === undefined ? (me?.balance ?? data.user.balance) : data.user.balance}
          configs={configs.data ?? data.activeConfigs}
          at={data.knownAt ?? dashboard.dataUpdatedAt}
          busy={dashboard.isFetching}
          onRetry={() => void dashboard.refetch()}
        />
      </Suspense>
    );
  }
  const dialogs = dialog && (
    <Suspense>
      <ConfigDialogs open={dialog} onChange={setDialog} />
    </Suspense>
  );
  const known = configs.data ?? [...data.activeConfigs, ...data.otherConfigs];
  if (me && isNew && hasUsedNothing(data.quickStats, known)) {
    return (
      <>
        <h1 className="sr-only">{m.nav_dashboard()}</h1>
        <Suspense fallback={<DashboardSkeleton />}>
          <FirstDashboard me={me} subscription={data.subscriptionStatus} configs={known} onDialog={setDialog} />
        </Suspense>
        {dialogs}
      </>
    );
  }
  return (
    <>
      <h1 className="sr-only">{m.nav_dashboard()}</h1>
      <Cards data={data} me={me} connection={connection ?? data.connection} configs={known} onDialog={setDialog} />
      {dialogs}
    </>
  );
}

interface CardsProps {
  readonly data: Dashboard;
  readonly me: User | undefined;
  readonly connection: ConnectionState | null;
  readonly configs: readonly Config[];
  onDialog(dialog: OpenDialog): void;
}

function Cards({ data, me, connection, configs, onDialog }: CardsProps) {
  const { act, busy } = useConfigActions();
  const showFile = useCallback((config: Config) => onDialog({ kind: 'file', config }), [onDialog]);
  const download = useCallback((config: Config) => act('download', config), [act]);
  const { service, isUnpaid } = serviceOf(data, me);
  const low = !data.outlook?.isLow || service?.state !== 'on' ? undefined : data.outlook;
  return (
    <>
      {low && (
        <Suspense fallback={<div className="skeleton h-72 mb-4 sm:mb-5 !rounded-xl" />}>
          <LowCard outlook={low} usual={data.usualCharge} />
        </Suspense>
      )}
      {!isUnpaid && <AdviceList advice={data.recommendations.filter(({ kind }) => kind !== 'top_up' || !low)} />}
      <div className="grid lg:grid-cols-3 gap-4 sm:gap-5 [&>*]:min-w-0">
        {isUnpaid && service && (
          <Suspense fallback={<div className="skeleton lg:col-span-3 h-72 !rounded-xl" />}>
            <CutCard service={service} usual={data.usualCharge} isActivated={me?.isActivated ?? true} />
            <CalmCard />
          </Suspense>
        )}
        {isUnpaid && (
          <div className="lg:col-span-2 grid">
            <ConfigRows configs={configs} isUnpaid onShowFile={showFile} onDownload={download} />
          </div>
        )}
        {!isUnpaid && connection && (
          <div className="lg:col-span-2 grid">
            <ConnectionCard connection={connection} configs={configs} busy={busy} onAct={act} onShowFile={showFile} />
          </div>
        )}
        <WalletCard balance={me?.balance ?? data.user.balance} isQuiet={isUnpaid || low !== undefined} />
        <div className="lg:col-span-2 grid">
          <UsageCard week={data} />
        </div>
        <SubscriptionCard subscription={data.subscriptionStatus} />
        {!isUnpaid && (
          <div className="lg:col-span-2 grid">
            <ConfigRows configs={data.activeConfigs} onShowFile={showFile} onDownload={download} />
          </div>
        )}
        <div className={`grid ${isUnpaid ? 'lg:col-span-2' : ''}`}>
          <RecentPayments lines={data.recentTransactions} />
        </div>
      </div>
    </>
  );
}

/** Nothing is paid for now: the service is cut, or there was never money. */
function serviceOf(data: Dashboard | undefined, me: User | undefined) {
  const service = me?.service ?? data?.service;
  return { service, isUnpaid: service?.state === 'cut' || service?.state === 'empty' };
}

import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { now } from '../../../api/clock.ts';
import { configsQuery, connectionQuery } from '../../../api/queries.ts';
import { hasService } from '../../../api/session.ts';
import { ActivationBanner } from '../../../components/activation-banner.tsx';
import { FailureCard } from '../../../components/failure-card.tsx';
import { Khatam } from '../../../components/logo.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { Link } from '../../../routes/link.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { configsPerUser } from '../../../text/site-values.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfigList } from './config-list.tsx';
import { ConfigsSkeleton } from './configs-skeleton.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { EmptyConfigs } from './empty-configs.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { type ConfigAction, useConfigActions } from './use-config-actions.ts';

const loadDialogs = () => import('./config-dialogs.tsx');
const loadOverlays = () => Promise.all([loadDialogs(), import('../../../ui/anchored-menu.tsx')]);
const ConfigDialogs = lazy(loadDialogs);
const NetworkCard = lazy(() => import('./network-card.tsx'));
const ConnectionHistory = lazy(() => import('./connection-history.tsx'));

export default function ConfigsPage() {
  useTitle(m.configs_title());
  const me = useMe();
  const hasConfigs = hasService(me, now());
  const [dialog, setDialog] = useState<OpenDialog>();
  const create = useCallback(() => setDialog({ kind: 'create' }), []);
  useIdle(loadOverlays, hasConfigs);

  return (
    <>
      <PageHeading title={m.configs_title()} text={m.configs_text()}>
        <div className="flex flex-wrap gap-2">
          <Link to={paths.servers} search={{}} className="btn btn-ghost btn-sm">
            <Khatam className="size-5 text-spark" />
            {m.aria_open()}
          </Link>
          {/* The banner below leads to activation, which comes first: what would refuse is not offered. */}
          {hasConfigs && (
            <Button className="btn btn-primary btn-sm" onPointerEnter={() => void loadDialogs()} onClick={create}>
              <Plus className="size-5" aria-hidden />
              {m.new_config()}
            </Button>
          )}
        </div>
      </PageHeading>
      {hasConfigs ? (
        <Configs onCreate={create} onDialog={setDialog} />
      ) : (
        <>
          <ActivationBanner text={m.configs_need_activation({ max: number(configsPerUser()) })} />
          <EmptyConfigs />
        </>
      )}
      {dialog && (
        <Suspense>
          <ConfigDialogs open={dialog} onChange={setDialog} />
        </Suspense>
      )}
    </>
  );
}

function Configs({ onCreate, onDialog }: { onCreate(): void; onDialog(dialog: OpenDialog): void }) {
  const configs = useQuery(configsQuery);
  const connection = useQuery(connectionQuery).data;
  // The banner says what is so; a tunnel that is up lets nothing through now.
  const isCut = useMe()?.service?.state === 'cut';
  const { act, busy } = useConfigActions();
  const connectionCard = useRef<HTMLElement>(null);
  // The answer to «connect» is above the list: what to press on the device. On a phone it would be out of sight.
  const actInSight = useCallback(
    (action: ConfigAction, config: Config) => {
      act(action, config);
      if (action === 'connect') connectionCard.current?.scrollIntoView({ block: 'nearest' });
    },
    [act],
  );
  const showFile = useCallback((config: Config) => onDialog({ kind: 'file', config }), [onDialog]);

  if (configs.isPending) return <ConfigsSkeleton />;
  if (configs.isError && !configs.data) {
    return (
      <FailureCard
        title={m.configs_failed()}
        error={configs.error}
        busy={configs.isFetching}
        onRetry={() => void configs.refetch()}
      />
    );
  }
  if (configs.data.length === 0) return <EmptyConfigs onCreate={onCreate} />;
  return (
    <>
      {connection && !isCut && (
        <ConnectionCard
          ref={connectionCard}
          connection={connection}
          configs={configs.data}
          busy={busy}
          onAct={act}
          onShowFile={showFile}
        />
      )}
      <Suspense fallback={<div className="skeleton h-24 mt-4 sm:mt-5" />}>
        <NetworkCard />
      </Suspense>
      <ConfigList
        configs={configs.data}
        waitingId={connection?.state === 'waiting' ? connection.currentConfig?.id : undefined}
        busy={busy}
        onAct={actInSight}
        onShowFile={showFile}
        onDialog={onDialog}
      />
      <Suspense>
        <ConnectionHistory />
      </Suspense>
    </>
  );
}

/** The dialogs are fetched while nothing else happens, so that the first click opens at once. */
function useIdle(work: () => Promise<unknown>, wanted: boolean): void {
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => void work().catch(() => undefined), 1_500);
    return () => clearTimeout(timer);
  }, [work, wanted]);
}

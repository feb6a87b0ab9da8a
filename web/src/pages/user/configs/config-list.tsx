import type { Config } from '@raha/contract/public/configs.ts';
import { Copy, HeartHandshake, Pencil, PowerOff, RotateCcw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { navigate, useSearch } from '../../../routes/navigation.ts';
import { type ConfigFilter, configFilters } from '../../../routes/search.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { textDirection } from '../../../text/locale.ts';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { ShowMore, useShownPart } from '../../../ui/show-more.tsx';
import { ConfigCard } from './config-card.tsx';
import { isOnDeviceOnly } from './config-file.ts';
import type { OpenDialog } from './open-dialog.ts';
import type { ConfigAction } from './use-config-actions.ts';

const AnchoredMenu = lazy(() => import('../../../ui/anchored-menu.tsx'));
/** Cards are heavy for a phone. */
const SHOWN_AT_FIRST = 30;
const filterLabels = {
  all: m.filter_all,
  active: m.filter_active,
  inactive: m.filter_inactive,
  expired: m.filter_expired,
} as const;

interface ConfigListProps {
  configs: readonly Config[];
  waitingId: string | undefined;
  busy: string | undefined;
  onAct(action: ConfigAction, config: Config): void;
  onShowFile(config: Config): void;
  onDialog(dialog: OpenDialog): void;
}

export function ConfigList({ configs, waitingId, busy, onAct, onShowFile, onDialog }: ConfigListProps) {
  const { filter = 'all' } = useSearch('/user/configs');
  const [menu, setMenu] = useState<{ config: Config; button: HTMLElement }>();
  const openMenu = useCallback((config: Config, button: HTMLElement) => setMenu({ config, button }), []);
  const showFamily = useCallback((config: Config) => onDialog({ kind: 'family', config }), [onDialog]);
  const segments = useMemo(() => segmentsOf(configs), [configs]);
  const matching = filter === 'all' ? configs : configs.filter((config) => config.status === filter);
  const { shown, list, ...part } = useShownPart(matching, SHOWN_AT_FIRST, filter);

  return (
    <section className="mt-8" aria-label={m.configs_title()}>
      <SegmentedTabs
        label={m.filter_label()}
        panelId="config-list"
        segments={segments}
        value={filter}
        onChange={(value) => void navigate({ search: value === 'all' ? {} : { filter: value }, replace: true })}
      />
      <div role="tabpanel" id="config-list" aria-label={filterLabels[filter]()} className="mt-4">
        {shown.length === 0 ? (
          <p className="card p-8 text-center text-text-2">{m.filter_empty()}</p>
        ) : (
          <ul ref={list} className="config-cards">
            {shown.map((config) => (
              <ConfigCard
                key={config.id}
                config={config}
                busy={busy === config.id}
                waiting={waitingId === config.id}
                onAct={onAct}
                onShowFile={onShowFile}
                onFamily={showFamily}
                onMenu={openMenu}
              />
            ))}
          </ul>
        )}
        <ShowMore {...part} className="btn-ghost mt-5" />
      </div>
      {menu && (
        <Suspense>
          <AnchoredMenu
            anchor={menu.button}
            direction={textDirection()}
            entries={entriesOf(menu.config, { onAct, onShowFile, onDialog })}
            onClose={() => setMenu(undefined)}
          />
        </Suspense>
      )}
    </section>
  );
}

function segmentsOf(configs: readonly Config[]) {
  const count = (filter: ConfigFilter) =>
    filter === 'all' ? configs.length : configs.filter((config) => config.status === filter).length;
  return configFilters.map((value) => ({ value, label: filterLabels[value](), count: number(count(value)) }));
}

/** A profile of IKEv2 is nothing that anybody pastes. */
function copyEntry(config: Config, disabled: boolean, on: Pick<ConfigListProps, 'onAct' | 'onShowFile'>) {
  const onChoose = () => (isOnDeviceOnly(config) ? on.onShowFile(config) : on.onAct('copy', config));
  return { label: m.copy_config(), icon: Copy, disabled, onChoose };
}

function entriesOf(config: Config, on: Pick<ConfigListProps, 'onAct' | 'onShowFile' | 'onDialog'>) {
  const disabled = config.status !== 'active';
  return [
    ...(disabled ? [] : [{ label: m.disconnect(), icon: PowerOff, onChoose: () => on.onAct('disconnect', config) }]),
    ...(config.protocol === 'ikev2' ? [] : [copyEntry(config, disabled, on)]),
    {
      label: config.family ? m.family_manage() : m.family_make(),
      icon: HeartHandshake,
      disabled: disabled && config.family === null,
      onChoose: () => on.onDialog({ kind: 'family', config }),
    },
    { label: m.rename(), icon: Pencil, onChoose: () => on.onDialog({ kind: 'rename', config }) },
    { label: m.reset(), icon: RotateCcw, disabled, onChoose: () => on.onDialog({ kind: 'reset', config }) },
    { label: m.delete(), icon: Trash2, danger: true, onChoose: () => on.onDialog({ kind: 'delete', config }) },
  ];
}

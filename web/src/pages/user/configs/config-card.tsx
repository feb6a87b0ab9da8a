import type { Config } from '@raha/contract/public/configs.ts';
import { BookOpen, Download, EllipsisVertical, HeartHandshake, Power, PowerOff, QrCode } from 'lucide-react';
import { memo, type ReactNode, useId } from 'react';
import { LocationName } from '../../../components/location-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { bytes, date } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { needsDialog } from './config-file.ts';
import { ConfigBadge, ServiceNote } from './config-status.tsx';
import type { ConfigAction } from './use-config-actions.ts';

interface ConfigCardProps {
  config: Config;
  busy: boolean;
  /** True while the panel waits for the device of this config. */
  waiting: boolean;
  onAct(action: ConfigAction, config: Config): void;
  onShowFile(config: Config): void;
  onFamily(config: Config): void;
  onMenu(config: Config, button: HTMLElement): void;
}

export const ConfigCard = memo(function ConfigCard({ config, busy, waiting, ...on }: ConfigCardProps) {
  const titleId = useId();
  const { location } = config.server;
  const isActive = config.status === 'active';
  // A tunnel that is up without money lets nothing through: the card says that it is cut, and nothing else.
  const isConnected = config.connected && config.service !== 'no_balance' && config.service !== 'cap_reached';
  return (
    <li className="grid [content-visibility:auto] [contain-intrinsic-size:auto_20rem]">
      <article aria-labelledby={titleId} className="card p-4 sm:p-5 flex flex-col gap-4">
        <header className="flex items-start gap-3">
          <span className="grid place-items-center size-11 shrink-0 rounded-md bg-surface-2 text-sm text-text-2">
            <bdi dir="ltr" className="font-code font-semibold">
              {location.country}
            </bdi>
          </span>
          <div className="flex-1 min-w-0">
            <h3 id={titleId} className="font-bold leading-relaxed [overflow-wrap:anywhere]">
              <bdi>{config.name}</bdi>
            </h3>
            <p className="text-sm text-text-3">
              <ProtocolName protocol={config.protocol} />
            </p>
          </div>
          <ConfigBadge config={config} />
        </header>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
          <Fact label={m.server()} className="col-span-2">
            <LocationName location={location} />
          </Fact>
          <Fact label={m.traffic_used()}>{bytes(config.traffic_used)}</Fact>
          <Fact label={m.last_used()}>
            {config.lastUsed ? <time dateTime={config.lastUsed}>{date(config.lastUsed)}</time> : m.never_used()}
          </Fact>
        </dl>
        {config.family && (
          <button
            type="button"
            className="flex flex-wrap items-center gap-x-2 min-h-11 rounded-md bg-accent-soft px-3 py-2 text-sm text-start hover:bg-surface-2"
            onClick={() => on.onFamily(config)}
          >
            <HeartHandshake className="size-4 shrink-0 text-accent" aria-hidden />
            <span className="sr-only">{m.family_manage()}</span>
            <bdi className="font-semibold [overflow-wrap:anywhere]">{config.family.guest_name}</bdi>
            <span className="ms-auto text-text-2">
              {m.family_used_of({ used: bytes(config.family.used_bytes), limit: bytes(config.family.monthly_bytes) })}
            </span>
          </button>
        )}
        <ServiceNote config={config} />
        <footer className="flex items-center gap-1 mt-auto">
          <Button
            className="btn btn-ghost btn-sm flex-1 me-1"
            busy={busy}
            aria-disabled={config.status === 'expired' || config.connected}
            onClick={() => on.onAct(waiting ? 'disconnect' : 'connect', config)}
          >
            {waiting ? <PowerOff className="size-4" aria-hidden /> : <Power className="size-4" aria-hidden />}
            {isConnected ? m.connected() : waiting ? m.stop_waiting() : m.connect()}
          </Button>
          {config.protocol === 'wireguard' ? (
            <IconButton
              off={!isActive}
              label={m.show_qr_of({ name: config.name })}
              onClick={() => on.onShowFile(config)}
            >
              <QrCode className="size-5" aria-hidden />
            </IconButton>
          ) : (
            <IconButton
              off={!isActive}
              label={m.show_guide_of({ name: config.name })}
              onClick={() => on.onShowFile(config)}
            >
              <BookOpen className="size-5" aria-hidden />
            </IconButton>
          )}
          <IconButton
            off={!isActive}
            label={m.download_of({ name: config.name })}
            onClick={() => (needsDialog(config) ? on.onShowFile(config) : on.onAct('download', config))}
          >
            <Download className="size-5" aria-hidden />
          </IconButton>
          <button
            type="button"
            className="icon-btn"
            aria-haspopup="menu"
            aria-label={m.more_of({ name: config.name })}
            title={m.more()}
            onClick={(event) => on.onMenu(config, event.currentTarget)}
          >
            <EllipsisVertical className="size-5" aria-hidden />
          </button>
        </footer>
      </article>
    </li>
  );
});

/** `off`: for active configs only; it says so and stays where the keyboard finds it. */
function IconButton({ off, label, onClick, children }: IconButtonProps) {
  return (
    <Button
      className="icon-btn"
      aria-label={label}
      aria-disabled={off}
      title={off ? m.only_active() : label}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

interface IconButtonProps {
  off: boolean;
  label: string;
  onClick(): void;
  children: ReactNode;
}

interface FactProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

function Fact({ label, className = '', children }: FactProps) {
  return (
    <div className={`min-w-0 ${className}`}>
      <dt className="text-xs text-text-3">{label}</dt>
      <dd className="text-sm font-semibold [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { BookOpen, Download, Plus, QrCode } from 'lucide-react';
import type { ReactNode } from 'react';
import { LocationName } from '../../../components/location-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { Link } from '../../../routes/link.tsx';
import { bytes, milliseconds } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { needsDialog } from '../configs/config-file.ts';

interface ConfigRowsProps {
  configs: readonly Config[];
  /** Nothing passes for want of money: all are shown, each as it is, and none is to be made now. */
  isUnpaid?: boolean;
  onShowFile(config: Config): void;
  onDownload(config: Config): void;
}

/** The configs that are active: how each gets onto a device, and its file, one press away. */
export function ConfigRows({ configs, isUnpaid = false, onShowFile, onDownload }: ConfigRowsProps) {
  return (
    <section aria-labelledby="active-configs" className="panel p-5 sm:p-6 min-w-0">
      <header className="flex items-center justify-between gap-3">
        <h2 id="active-configs" className="text-base font-bold">
          {isUnpaid ? m.cut_devices() : m.active_configs()}
        </h2>
        {configs.length > 0 && (
          <Link to={paths.configs} className="btn btn-quiet btn-sm">
            {m.view_all_configs()}
          </Link>
        )}
      </header>
      {configs.length === 0 ? (
        <div className="grid justify-items-center gap-4 py-8 text-center">
          <p className="text-text-2">{m.no_active_configs()}</p>
          {!isUnpaid && (
            <Link to={paths.configs} className="btn btn-ghost btn-sm">
              <Plus className="size-4" aria-hidden />
              {m.create_new_config()}
            </Link>
          )}
        </div>
      ) : (
        <ul className="mt-2 divide-y divide-line">
          {configs.map((config) => (
            <li key={config.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
              <span className="grid place-items-center size-10 shrink-0 rounded-sm bg-surface-2 text-sm text-text-2">
                <bdi dir="ltr" className="font-code font-semibold">
                  {config.server.location.country}
                </bdi>
              </span>
              <div className="flex-1 min-w-40">
                <button
                  type="button"
                  aria-haspopup="dialog"
                  className="font-bold text-start cursor-pointer [overflow-wrap:anywhere]"
                  onClick={() => onShowFile(config)}
                >
                  <bdi>{config.name}</bdi>
                </button>
                <p className="text-sm text-text-3">
                  <LocationName location={config.server.location} /> · <ProtocolName protocol={config.protocol} />
                </p>
              </div>
              <div className="flex items-center gap-4 text-sm text-text-2 max-sm:basis-full max-sm:ps-14">
                <div className="flex flex-wrap gap-x-4 *:whitespace-nowrap">
                  {config.service === 'no_balance' && (
                    <p className="badge bg-danger-soft text-danger">{m.status_cut()}</p>
                  )}
                  <p>{bytes(config.traffic_used)}</p>
                  {config.server.ping !== null && <p>{milliseconds(config.server.ping)}</p>}
                </div>
                <div className="flex max-sm:ms-auto">
                  {config.protocol === 'wireguard' ? (
                    <IconButton label={m.show_qr_of({ name: config.name })} onClick={() => onShowFile(config)}>
                      <QrCode className="size-5" aria-hidden />
                    </IconButton>
                  ) : (
                    <IconButton label={m.show_guide_of({ name: config.name })} onClick={() => onShowFile(config)}>
                      <BookOpen className="size-5" aria-hidden />
                    </IconButton>
                  )}
                  <IconButton
                    label={m.download_of({ name: config.name })}
                    onClick={() => (needsDialog(config) ? onShowFile(config) : onDownload(config))}
                  >
                    <Download className="size-5" aria-hidden />
                  </IconButton>
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function IconButton({ label, onClick, children }: { label: string; onClick(): void; children: ReactNode }) {
  return (
    <button type="button" className="icon-btn" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

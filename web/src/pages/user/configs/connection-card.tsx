import type { Answer } from '@raha/contract/endpoint.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { BookOpen, Power, PowerOff, QrCode } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { now } from '../../../api/clock.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { duration } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { isOnDeviceOnly } from './config-file.ts';
import { ConnectionMap } from './connection-map.tsx';
import { isOwnPhone } from './device-system.ts';
import { LiveMetrics } from './live-metrics.tsx';
import type { ConfigAction } from './use-config-actions.ts';
import { WaitingQr } from './waiting-qr.tsx';

export type ConnectionState = Answer<typeof publicEndpoints.connectionStatus>['data'];

interface ConnectionCardProps {
  ref?: Ref<HTMLElement>;
  connection: ConnectionState;
  configs: readonly Config[];
  busy: string | undefined;
  onAct(action: ConfigAction, config: Config): void;
  onShowFile(config: Config): void;
}

/** The one night surface of the screen: whether a device is connected now, and through where. */
export function ConnectionCard(props: ConnectionCardProps) {
  const { state, currentConfig } = props.connection;
  return (
    <section
      ref={props.ref}
      aria-labelledby="connection"
      data-state={state}
      className="scroll-mt-4 night rounded-xl relative overflow-hidden isolate p-5 sm:p-7 flex flex-col min-h-60"
    >
      <ConnectionMap live={state === 'connected'} />
      {state === 'connected' && currentConfig ? (
        <Connected {...props} config={currentConfig} />
      ) : state === 'waiting' && currentConfig ? (
        <Waiting {...props} config={currentConfig} />
      ) : (
        <Disconnected {...props} />
      )}
    </section>
  );
}

function Connected({ connection, config, busy, onAct }: ConnectionCardProps & { config: Config }) {
  const seconds = useSecondsSince(connection.connectedSince);
  return (
    <>
      <StatusLine live>
        {seconds === undefined ? m.connected() : m.connected_since({ duration: duration(seconds) })}
      </StatusLine>
      <ConfigLocation config={config} />
      <LiveMetrics configId={config.id} />
      <div className="mt-auto pt-6">
        <Button className="btn btn-night" busy={busy === config.id} onClick={() => onAct('disconnect', config)}>
          <PowerOff className="size-5" aria-hidden />
          {m.disconnect_connection()}
        </Button>
      </div>
    </>
  );
}

function Waiting({ config, busy, onAct, onShowFile }: ConnectionCardProps & { config: Config }) {
  const hasQr = config.protocol === 'wireguard' && !isOnDeviceOnly(config) && !isOwnPhone();
  return (
    <div className="flex-1 flex flex-wrap gap-x-8 gap-y-6 items-center">
      <div className="flex-1 min-w-[min(18rem,100%)] self-stretch flex flex-col">
        <StatusLine>{m.waiting_status()}</StatusLine>
        <ConfigLocation config={config} />
        <p className="mt-3 text-on-night-2 max-w-[32rem]" role="status">
          {hasQr ? m.waiting_text_qr() : switchOnText(config.protocol)}
        </p>
        <div className="mt-auto pt-6 flex flex-wrap gap-2">
          <Button className="btn btn-night" onClick={() => onShowFile(config)}>
            {hasQr ? <QrCode className="size-5" aria-hidden /> : <BookOpen className="size-5" aria-hidden />}
            {hasQr ? m.file_and_qr() : m.file_and_guide()}
          </Button>
          <Button className="btn btn-night-quiet" busy={busy === config.id} onClick={() => onAct('disconnect', config)}>
            {m.stop_waiting()}
          </Button>
        </div>
      </div>
      {hasQr && <WaitingQr config={config} />}
    </div>
  );
}

/** The panel connects nothing by itself: what is to be pressed on the device. */
function switchOnText(protocol: Config['protocol']): string {
  if (protocol === 'ikev2') return m.waiting_text_settings();
  return m.waiting_text({ app: protocol === 'openvpn' ? 'OpenVPN Connect' : 'WireGuard' });
}

function Disconnected({ configs, busy, onAct }: ConnectionCardProps) {
  const last = latestUsable(configs);
  return (
    <>
      <StatusLine>{m.disconnected_status()}</StatusLine>
      <h2 id="connection" className="text-2xl sm:text-3xl font-black mt-2">
        {m.disconnected_title()}
      </h2>
      <p className="mt-2 text-on-night-2 max-w-[30rem]">{last ? m.disconnected_text() : m.disconnected_none()}</p>
      {last && (
        <div className="mt-auto pt-6">
          <Button className="btn btn-night max-w-full" busy={busy === last.id} onClick={() => onAct('connect', last)}>
            <Power className="size-5 shrink-0" aria-hidden />
            <span className="truncate">
              {m.connect_with()} <bdi>{last.name}</bdi>
            </span>
          </Button>
        </div>
      )}
    </>
  );
}

function StatusLine({ live = false, children }: { live?: boolean; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2.5 text-sm font-semibold text-on-night-2">
      <span className="relative size-2.5" aria-hidden>
        {live && (
          <i className="absolute inset-0 rounded-full bg-signal motion-reduce:hidden [animation:ping_2.4s_var(--ease-out)_infinite]" />
        )}
        <i className={`absolute inset-0 rounded-full ${live ? 'bg-signal' : 'bg-on-night-2'}`} />
      </span>
      {children}
    </p>
  );
}

function ConfigLocation({ config }: { config: Config }) {
  return (
    <>
      <h2 id="connection" className="text-2xl sm:text-3xl font-black mt-2">
        <LocationName location={config.server.location} />
      </h2>
      <p className="text-sm text-on-night-2 [overflow-wrap:anywhere]">
        <bdi>{config.name}</bdi>
      </p>
    </>
  );
}

/** The config a user most likely means: the last used one of those that may connect. */
function latestUsable(configs: readonly Config[]): Config | undefined {
  return configs
    .filter(
      (config) =>
        config.status !== 'expired' &&
        config.service !== 'no_balance' &&
        config.service !== 'cap_reached' &&
        config.server.isOnline,
    )
    .reduce<Config | undefined>(
      (best, config) => (!best || (config.lastUsed ?? '') > (best.lastUsed ?? '') ? config : best),
      undefined,
    );
}

function useSecondsSince(instant: string | null): number | undefined {
  const at = useNow(now, 10_000);
  return instant === null ? undefined : Math.max(0, (at - Date.parse(instant)) / 1000);
}

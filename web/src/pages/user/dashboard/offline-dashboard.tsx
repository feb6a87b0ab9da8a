import { formatTime } from '@raha/contract/persian.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { BookOpen, ChevronLeft, FileDown, type LucideIcon, MonitorSmartphone, RefreshCw, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { now } from '../../../api/clock.ts';
import { type KnownFile, readLastKnown } from '../../../api/last-known.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { date, dateTime, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { relativeTime } from '../../../text/relative-time.ts';
import { brandName } from '../../../text/site-values.ts';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { blobOf } from '../configs/known-file.ts';
import { saveFile } from '../shared/save-file.ts';

interface OfflineDashboardProps {
  balance: number;
  configs: readonly Config[];
  /** When the figures were so, in milliseconds since the epoch. */
  at: number;
  busy: boolean;
  onRetry(): void;
}

/** The dashboard while the server is out of reach: what was so and when, and what works all the same. */
export default function OfflineDashboard({ balance, configs, at, busy, onRetry }: OfflineDashboardProps) {
  const clock = useNow(now, 30_000);
  const instant = new Date(at).toISOString();
  const time = date(instant) === date(new Date(clock).toISOString()) ? hourOf(at) : dateTime(instant);
  return (
    <>
      <h1 className="sr-only">{m.nav_dashboard()}</h1>
      <section
        data-testid="lost"
        className="flex items-center gap-4 rounded-lg bg-spark-soft ps-4 sm:ps-5 pe-3 py-3 mb-4 sm:mb-5"
      >
        <WifiOff className="size-6 shrink-0 text-spark-text" aria-hidden />
        <div role="status" className="flex-1 min-w-0 leading-relaxed">
          <p className="font-bold">{m.lost_title({ brand: brandName() })}</p>
          <p className="text-sm text-text-2">{m.lost_known({ at: time, ago: relativeTime(instant, clock) })}</p>
        </div>
        <Button
          className="grid place-items-center size-11 shrink-0 rounded-full bg-surface [box-shadow:var(--edge)]"
          busy={busy}
          aria-label={m.try_again()}
          title={m.try_again()}
          onClick={onRetry}
        >
          <RefreshCw className={`size-5 ${busy ? 'animate-spin' : ''}`} aria-hidden />
        </Button>
      </section>
      <div className="grid lg:grid-cols-3 gap-4 sm:gap-5 [&>*]:min-w-0">
        <section aria-labelledby="lost-balance" className="panel p-5 sm:p-6 flex flex-col">
          <Heading id="lost-balance" title={m.balance()} time={time} />
          <p className="text-3xl font-black mt-1 text-text-2" data-testid="dashboard-balance">
            {number(balance)} <span className="text-base font-semibold text-text-3">{m.toman_unit()}</span>
          </p>
          <p className="mt-auto pt-5">
            <span className="flex items-center justify-center min-h-12 px-4 rounded-md bg-surface-2 text-text-2 font-semibold">
              {m.charge_later()}
            </span>
          </p>
        </section>
        <section aria-labelledby="works-offline" className="panel p-5 sm:p-6 lg:col-span-2">
          <Heading id="works-offline" title={m.works_offline()} />
          <ul className="mt-2 divide-y divide-line">
            {(readLastKnown()?.files ?? []).map((file) => (
              <li key={file.configId}>
                <button type="button" className={`${row} w-full text-start cursor-pointer`} onClick={() => hand(file)}>
                  <Row icon={FileDown} title={m.offline_file({ name: `\u2068${file.configName}\u2069` })}>
                    <LocationName location={file.location} /> · {m.offline_file_here()}
                  </Row>
                </button>
              </li>
            ))}
            <li>
              <a href={currentLocale() === 'fa' ? '/guides' : '/en/guides'} className={row}>
                <Row icon={BookOpen} title={m.offline_guide()}>
                  {m.offline_guide_text()}
                </Row>
              </a>
            </li>
          </ul>
        </section>
        {configs.length > 0 && <Devices configs={configs} time={time} />}
      </div>
    </>
  );
}

const row = 'flex items-center gap-4 min-h-14 py-3';

function Heading({ id, title, time }: { id: string; title: string; time?: string }) {
  return (
    <header className="flex items-baseline justify-between gap-3">
      <h2 id={id} className="text-base font-bold">
        {title}
      </h2>
      {time && <p className="text-sm text-text-3">{time}</p>}
    </header>
  );
}

function Row({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <>
      <span className="grid place-items-center size-11 shrink-0 rounded-md bg-accent-soft text-accent">
        <Icon className="size-5" aria-hidden />
      </span>
      <span className="flex-1 min-w-0 leading-snug">
        <b className="block [overflow-wrap:anywhere]">{title}</b>
        <span className="text-sm text-text-3">{children}</span>
      </span>
      <ChevronLeft className="size-5 shrink-0 text-text-3 ltr:-scale-x-100" aria-hidden />
    </>
  );
}

/** How each was then; how it is now nobody knows, and nothing says that it is well. */
function Devices({ configs, time }: { configs: readonly Config[]; time: string }) {
  return (
    <section aria-labelledby="lost-devices" className="panel p-5 sm:p-6 lg:col-span-3">
      <Heading id="lost-devices" title={m.cut_devices()} time={time} />
      <ul className="mt-2 divide-y divide-line">
        {configs.map((config) => (
          <li key={config.id} className="flex items-center gap-4 min-h-14 py-3">
            <span className="grid place-items-center size-11 shrink-0 rounded-md bg-surface-2 text-text-2">
              <MonitorSmartphone className="size-5" aria-hidden />
            </span>
            <p className="flex-1 min-w-0 leading-snug">
              <b className="block [overflow-wrap:anywhere]">
                <bdi>{config.name}</bdi>
              </b>
              <span className="text-sm text-text-3">{config.connected ? m.was_connected() : m.was_off()}</span>
            </p>
            <span className="badge bg-surface-2 text-text-2">{m.unknown_now()}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hourOf(at: number): string {
  return m.at_hour({ time: formatTime(new Date(at), currentLocale()) });
}

function hand(file: KnownFile): void {
  saveFile(file.filename, blobOf(file));
}

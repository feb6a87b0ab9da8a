import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { formatTime } from '@raha/contract/persian.ts';
import type { Service } from '@raha/contract/public/service.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import { KeyRound, Landmark, type LucideIcon, ShieldCheck } from 'lucide-react';
import { now } from '../../../api/clock.ts';
import { cutTitle } from '../../../components/cut-title.ts';
import { TileStar } from '../../../components/tile-star.tsx';
import { Link } from '../../../routes/link.tsx';
import { date, dateTime } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { ConnectionMap } from '../configs/connection-map.tsx';
import { ChargeButtons } from './charge-buttons.tsx';

interface CutCardProps {
  service: Service;
  usual: UsualCharge | undefined;
  isActivated: boolean;
}

/** In place of the connection, while nothing passes for want of money: what is so, and the one button that ends it. */
export default function CutCard({ service, usual, isActivated }: CutCardProps) {
  const isCut = service.state === 'cut';
  return (
    <section
      aria-labelledby="cut"
      data-testid="cut"
      className="night lg:col-span-3 rounded-xl relative overflow-hidden isolate p-5 sm:p-7 [background:linear-gradient(200deg,var(--night),color-mix(in_oklch,var(--night)_72%,#000))] [&>div[aria-hidden]]:opacity-30"
    >
      <ConnectionMap live={false} />
      <div className="flex items-start gap-4">
        <TileStar state="out" className="size-14 sm:size-16 shrink-0" />
        <div className="min-w-0" role="status">
          {service.since && (
            <p className="flex items-center gap-2 text-sm font-semibold text-on-night-2">
              <span aria-hidden className="size-2.5 rounded-full shadow-[inset_0_0_0_2px_currentColor]" />
              {sinceOf(service.since)}
            </p>
          )}
          <h2 id="cut" className="text-2xl sm:text-3xl font-black">
            {cutTitle(service)}
          </h2>
        </div>
      </div>
      <p className="mt-3 text-on-night-2 max-w-[40rem]">
        {!isActivated ? m.cut_trial_text() : isCut ? m.cut_text() : m.cut_empty_text()}
      </p>
      <div className="mt-5 sm:max-w-[26rem] grid gap-1">
        {isActivated ? (
          <ChargeButtons usual={usual} className={wayOut} otherClassName="btn btn-night-quiet" />
        ) : (
          <Link to={paths.activation} className={wayOut}>
            {m.activate_account()}
          </Link>
        )}
      </div>
    </section>
  );
}

const wayOut = 'btn min-h-14 bg-on-night text-night hover:opacity-90';

function sinceOf(since: string): string {
  const isToday = date(since) === date(new Date(now()).toISOString());
  return isToday
    ? m.cut_since_hour({ time: formatTime(new Date(since), currentLocale()) })
    : m.cut_since({ at: dateTime(since) });
}

const calm: readonly { icon: LucideIcon; title: () => string; text: () => string }[] = [
  { icon: ShieldCheck, title: m.cut_calm_debt, text: m.cut_calm_debt_text },
  { icon: KeyRound, title: m.cut_calm_configs, text: m.cut_calm_configs_text },
  { icon: Landmark, title: m.cut_calm_way, text: m.cut_calm_way_text },
];

/** What did not happen. */
export function CalmCard() {
  return (
    <section aria-labelledby="calm" className="panel p-5 sm:p-6">
      <h2 id="calm" className="text-base font-bold">
        {m.cut_calm()}
      </h2>
      <ul className="mt-2 divide-y divide-line">
        {calm.map(({ icon: Icon, title, text }) => (
          <li key={title()} className="flex items-center gap-4 py-3">
            <span className="grid place-items-center size-11 shrink-0 rounded-md bg-accent-soft text-accent">
              <Icon className="size-5" aria-hidden />
            </span>
            <p className="leading-snug">
              <b className="block">{title()}</b>
              <span className="text-sm text-text-3">{text()}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

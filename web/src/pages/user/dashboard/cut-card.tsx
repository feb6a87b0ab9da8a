import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { formatTime } from '@raha/contract/persian.ts';
import type { Service } from '@raha/contract/public/service.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import { Link } from '@tanstack/react-router';
import { KeyRound, Landmark, type LucideIcon, ShieldCheck } from 'lucide-react';
import { now } from '../../../api/clock.ts';
import { cutTitle } from '../../../components/cut-title.ts';
import { TileStar } from '../../../components/tile-star.tsx';
import { date, dateTime, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { ConnectionMap } from '../configs/connection-map.tsx';
import { useStartCharge } from '../wallet/charge/use-start-charge.ts';

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
          <ChargeButtons usual={usual} />
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

function ChargeButtons({ usual }: { usual: UsualCharge | undefined }) {
  const { start, busy, problem } = useStartCharge();
  if (!usual) {
    return (
      <Link to={paths.charge} className={wayOut}>
        {m.charge_wallet()}
      </Link>
    );
  }
  const { amount, gateway } = usual;
  return (
    <>
      {gateway ? (
        <Button
          className={`${wayOut} aria-busy:opacity-70`}
          busy={busy}
          onClick={() => void start({ amount, payment_method: gateway.name })}
        >
          {busy ? m.going_to_bank() : m.charge_amount_with({ amount: toman(amount), bank: gateway.title })}
        </Button>
      ) : (
        <Link to={paths.charge} className={wayOut}>
          {m.charge_amount({ amount: toman(amount) })}
        </Link>
      )}
      {problem && (
        <p role="alert" className="rounded-md bg-danger-soft text-danger font-medium text-sm px-3 py-2 mt-1">
          {problem}
        </p>
      )}
      <Link to={paths.charge} className="btn btn-night-quiet">
        {m.cut_other()}
      </Link>
    </>
  );
}

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

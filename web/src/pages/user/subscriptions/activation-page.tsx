import { limits } from '@raha/contract/limits.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BadgeCheck, CircleCheck, Gift, Info, RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { rateQuery } from '../../../api/queries.ts';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { Link } from '../../../routes/link.tsx';
import { date, dateTime, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { freeTrialTerms } from '../../../text/site-values.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { BoughtCard } from './bought-card.tsx';
import { GiftCodeForm } from './gift-code-form.tsx';
import { StorePicker } from './store-picker.tsx';
import { StoreReturn } from './store-return.tsx';

export default function ActivationPage() {
  useTitle(m.activation_title());
  const me = useMe();
  // As it was on arrival: the sentence of success must not be pushed aside by the news it brings.
  const [isActivated] = useState(me?.isActivated ?? false);
  const [bought, setBought] = useState<string>();
  const rate = useQuery({ ...rateQuery, refetchInterval: limits.exchangeRate.refreshMs });
  return (
    <>
      <PageHeading title={m.activation_title()} text={m.activation_text()} />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-12 items-start">
        <div className="lg:col-span-7 grid gap-4 sm:gap-5">
          <StoreReturn />
          <BoughtCard onTake={setBought} />
          {isActivated && <AlreadyActive />}
          <section className="panel p-5 sm:p-7" aria-labelledby="gift">
            <h2 id="gift" className="flex items-center gap-3 text-lg font-bold">
              <span className="grid place-items-center size-10 rounded-md bg-accent-soft text-accent">
                <Gift className="size-5" aria-hidden />
              </span>
              {isActivated ? m.gift_heading_more() : m.gift_heading()}
            </h2>
            <GiftCodeForm key={bought} bought={bought} rate={rate.data} isActivated={isActivated} />
          </section>
          {/* Stores are for proved addresses; the banner above says how to prove one. */}
          {me?.isEmailVerified && <StorePicker />}
          <Points
            title={m.benefits_heading()}
            icon={<CircleCheck className="size-4 mt-1.5 shrink-0 text-success" aria-hidden />}
            points={[m.benefit_1(), m.benefit_2(), m.benefit_3(), m.benefit_4()]}
          />
        </div>
        <div className="lg:col-span-5 grid gap-4 sm:gap-5">
          <DollarPrice rate={rate.data} isLate={rate.isError} />
          <Points
            title={m.info_heading()}
            icon={<Info className="size-4 mt-1.5 shrink-0 text-chart" aria-hidden />}
            points={[...trialPoint(me?.trialEndsAt), m.info_1(), m.info_2(), m.info_3(), m.info_4()]}
          />
        </div>
      </div>
    </>
  );
}

/** The trial does not activate, but it is worth something: usage inside it is free once the account is active. */
function trialPoint(endsAt: string | null | undefined): readonly string[] {
  return endsAt && Date.parse(endsAt) > now()
    ? [m.trial_until_activated({ date: date(endsAt), terms: freeTrialTerms() })]
    : [];
}

interface Rate {
  readonly rate: number | null;
  readonly timestamp: string | null;
  readonly source: string | null;
  readonly fallback: { readonly activation: number };
}

/** The rate a card is credited at; the fallback figure is only ever shown as what it is, not current. */
function DollarPrice({ rate, isLate }: { rate: Rate | undefined; isLate: boolean }) {
  const isCurrent = rate?.rate != null;
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const refresh = async () => {
    setBusy(true);
    try {
      const refreshed = await api.refreshUsdRate();
      await queries.fetchQuery({ ...rateQuery, staleTime: 0 });
      if (refreshed.rate === null) toast(m.rate_update_failed(), 'problem');
      else toast(refreshed.source === 'test' ? m.rate_is_test_note() : m.rate_updated());
    } catch (error) {
      toast(errorSentence(error, m.rate_update_failed()), 'problem');
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="panel p-5 sm:p-6" aria-labelledby="dollar">
      <div className="flex items-center justify-between gap-3 -mt-2 -me-2">
        <h2 id="dollar" className="text-sm text-text-3">
          {m.dollar_price()}
        </h2>
        <Button
          className="icon-btn"
          aria-label={m.rate_refresh()}
          title={m.rate_refresh()}
          busy={busy}
          onClick={() => void refresh()}
        >
          <RefreshCw className={`size-5 ${busy ? 'motion-safe:animate-spin' : ''}`} aria-hidden />
        </Button>
      </div>
      {rate ? (
        <>
          <p className="text-2xl font-black" data-testid="usd-rate">
            {number(rate.rate ?? rate.fallback.activation)}{' '}
            <span className="text-base font-semibold text-text-3">{m.toman_unit()}</span>
          </p>
          {rate.source === 'test' ? (
            <p className="text-xs text-text-3 mt-1">
              <span className="badge bg-spark-soft text-spark-text me-1">{m.rate_is_test()}</span>
              {m.rate_is_test_note()}
            </p>
          ) : isCurrent && rate.timestamp ? (
            <p className="text-xs text-text-3">{m.rate_at({ when: dateTime(rate.timestamp) })}</p>
          ) : (
            <p className="badge bg-spark-soft text-spark-text mt-1">{m.rate_not_current()}</p>
          )}
        </>
      ) : isLate ? (
        <p className="font-semibold mt-1">{m.rate_failed()}</p>
      ) : (
        <div className="skeleton h-12 w-44" role="status" aria-label={m.loading()} />
      )}
    </section>
  );
}

function Points({ title, icon, points }: { title: string; icon: ReactNode; points: readonly string[] }) {
  return (
    <section className="panel p-5 sm:p-6">
      <h2 className="text-base font-bold">{title}</h2>
      <ul className="grid gap-2 mt-3 text-sm text-text-2">
        {points.map((point) => (
          <li key={point} className="flex items-start gap-2.5">
            {icon}
            <span>{point}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AlreadyActive() {
  return (
    <section className="rounded-lg bg-success-soft px-5 py-4 flex flex-wrap items-center gap-x-4 gap-y-3">
      <BadgeCheck className="size-6 shrink-0 text-success" aria-hidden />
      <p className="flex-1 min-w-52 font-medium">{m.already_active()}</p>
      <Link to={paths.configs} className="btn btn-ghost btn-sm">
        {m.nav_configs()}
      </Link>
    </section>
  );
}

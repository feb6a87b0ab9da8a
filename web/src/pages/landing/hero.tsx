import { placeholder } from '@raha/contract/site-placeholders.ts';
import { ArrowLeft, CreditCard, Download, Play, RotateCcw, ShieldCheck } from 'lucide-react';
import { Khatam } from '../../components/logo.tsx';
import { StarWindow } from '../../components/star-window.tsx';
import { When } from '../../components/when.tsx';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { accountPaths, href } from '../site/site-paths.ts';
import { siteText } from '../site/text/site-text.ts';
import { landingText } from './landing-text.ts';
import { locations } from './locations.ts';
import { DemoMark, SampleMark } from './section.tsx';

export function Hero() {
  return (
    <section className="relative isolate">
      <div
        aria-hidden="true"
        className="girih absolute inset-0 -z-10 opacity-60 [mask-image:radial-gradient(60%_75%_at_28%_48%,#000,transparent)]"
      />
      <div className="mx-auto max-w-[1280px] px-5 lg:px-10 grid lg:grid-cols-[1.02fr_1fr] items-center gap-x-8 gap-y-10 pt-4 pb-10 lg:pb-12">
        <Opening />
        <div className="relative max-sm:max-w-[22rem] max-w-[600px] w-full justify-self-center lg:justify-self-end max-sm:-mt-3">
          <StarWindow title={m.landing_map_title()} labels={cityNames()} />
          <div className="lg:absolute lg:bottom-[1%] lg:-end-[1%] max-lg:relative max-lg:flex max-lg:justify-center max-lg:-mt-[13%] max-lg:-mx-2">
            <AriaCard />
          </div>
        </div>
      </div>
      <Numbers />
    </section>
  );
}

function Opening() {
  const text = landingText();
  const [firstLine, secondLine] = siteText().title;
  const icons = [ShieldCheck, RotateCcw, CreditCard];
  return (
    <div className="max-lg:text-center">
      <p className="inline-flex items-center gap-2 rounded-full bg-spark-soft text-spark-text ps-3 pe-4 py-1.5 text-sm font-bold">
        <Khatam className="size-4 text-spark" />
        {text.chip}
      </p>
      <h1 className="text-hero ltr:lg:text-[4rem] font-black mt-5">
        {firstLine}
        <br />
        <span className="text-accent">{secondLine}</span>
      </h1>
      <p className="text-lg text-text-2 mt-5 max-w-[33rem] max-lg:mx-auto text-pretty">{text.text}</p>
      <div className="flex flex-wrap gap-3 mt-8 max-lg:justify-center">
        <a
          href={accountPaths.signIn}
          className="btn btn-primary px-7 min-h-14 text-[1.0625rem] max-sm:w-full max-sm:text-base"
        >
          {text.startTrial}
          <ArrowLeft className="size-5 ltr:-scale-x-100" aria-hidden="true" />
        </a>
        <button
          type="button"
          data-tour-open=""
          className="btn btn-ghost min-h-14 max-sm:flex-1 max-sm:px-3 unscripted:hidden"
        >
          <Play className="size-5 text-text-3" aria-hidden="true" />
          {text.watch}
        </button>
        <a href={href('/downloads')} className="btn btn-ghost min-h-14 max-sm:flex-1 max-sm:px-3">
          <Download className="size-5 text-text-3" aria-hidden="true" />
          {text.download}
        </a>
      </div>
      <When holds="passwordless-trial">
        <p className="mt-3 text-sm text-text-2">{text.trialTerms}</p>
      </When>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 mt-5 text-sm text-text-3 max-lg:justify-center">
        {text.points.map((point, index) => {
          const Icon = icons[index]!;
          return (
            <li key={point} className="inline-flex items-center gap-2">
              <Icon className="size-4" aria-hidden="true" />
              {point}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function cityNames() {
  return {
    tehran: m.city_tehran(),
    frankfurt: m.city_frankfurt(),
    amsterdam: m.city_amsterdam(),
    helsinki: m.city_helsinki(),
    istanbul: m.city_istanbul(),
    dubai: m.city_dubai(),
  };
}

/** A simulated suggestion; the script changes the server every eight seconds. */
function AriaCard() {
  const { aria } = landingText();
  const [first] = locations;
  return (
    <section
      aria-labelledby="aria-card"
      className="card p-4 sm:p-5 w-[min(20.5rem,86vw)] [box-shadow:var(--edge),var(--shadow-3)] [animation:rise_.6s_.9s_var(--ease-out)_both]"
    >
      <div className="flex items-center gap-2 text-text-2">
        <Khatam className="size-4 text-spark" />
        <h2 id="aria-card" className="text-sm font-semibold">
          {aria.card}
        </h2>
        <DemoMark className="ms-auto" />
      </div>
      <p className="flex items-center justify-between gap-3 mt-2">
        <b className="text-lg font-black" data-live-server="">
          {first!.city[currentLocale()]}
        </b>
        <SignalBars />
      </p>
      <dl className="grid grid-cols-[1.35fr_1fr_1.1fr] mt-3 text-xs text-text-3 [&>div+div]:border-s [&>div+div]:ps-3 [&>div]:border-line [&_dd]:text-sm [&_dd]:font-bold [&_dd]:text-text">
        <div>
          <dt>{aria.ping}</dt>
          <dd>
            <span data-live-server-ping="">{number(first!.pingMs)}</span>{' '}
            <small className="font-medium text-text-3">{aria.ms}</small>
          </dd>
        </div>
        <div>
          <dt>{aria.load}</dt>
          <dd data-live-server-load="">{percent(27)}</dd>
        </div>
        <div>
          <dt>{aria.protocol}</dt>
          <dd>
            <bdi dir="ltr">WireGuard</bdi>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function percent(value: number): string {
  return new Intl.NumberFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en', { style: 'percent' }).format(value / 100);
}

function SignalBars() {
  return (
    <svg viewBox="0 0 26 16" className="h-4 w-[26px] text-accent-fill" fill="currentColor" aria-hidden="true">
      {[6, 9, 12, 16].map((height, index) => (
        <rect key={height} x={index * 7} y={16 - height} width="4" height={height} rx="2" />
      ))}
    </svg>
  );
}

/** The operator's countries and servers; beside them two simulated counters, which the script moves, or two terms that hold. */
function Numbers() {
  const { stats, aria } = landingText();
  return (
    <div className="mx-auto max-w-[1280px] px-5 lg:px-10 pb-9 max-lg:pt-2">
      <dl className="card grid grid-cols-2 lg:grid-flow-col lg:auto-cols-fr overflow-hidden [&>div]:flex [&>div]:flex-col-reverse [&>div]:justify-end [&>div]:px-4 sm:[&>div]:px-6 [&>div]:py-5 [&>div]:border-line lg:[&>div+div]:border-s max-lg:[&>div:nth-child(even)]:border-s max-lg:[&>div:nth-child(n+3)]:border-t [&_dt]:text-sm [&_dt]:text-text-3 [&_dd]:text-2xl [&_dd]:font-black">
        <When holds="demonstrations">
          <div>
            <dt className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {stats.connected} <DemoMark />
            </dt>
            <dd data-live-connected="">{number(48_216)}</dd>
          </div>
        </When>
        <When holds="countries">
          <div>
            <dt className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {stats.countries} <SampleMark claim="countries" />
            </dt>
            <dd>{placeholder('countries')}</dd>
          </div>
        </When>
        <When holds="servers">
          <div>
            <dt className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {stats.servers} <SampleMark claim="servers" />
            </dt>
            <dd>
              {placeholder('servers')}
              <When holds="sample-servers">+</When>
            </dd>
          </div>
        </When>
        <When holds="demonstrations">
          <div>
            <dt className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {stats.ping} <DemoMark />
            </dt>
            <dd>
              <span data-live-ping="">{number(38)}</span>{' '}
              <small className="text-base font-semibold text-text-3">{aria.ms}</small>
            </dd>
          </div>
        </When>
        <When holds="production">
          <div>
            <dt>{stats.perGb}</dt>
            <dd>{stats.cents}</dd>
          </div>
          <div>
            <dt>{stats.refund}</dt>
            <dd>{stats.days}</dd>
          </div>
        </When>
      </dl>
    </div>
  );
}

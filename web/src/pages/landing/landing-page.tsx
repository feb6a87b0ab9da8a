import { limits } from '@raha/contract/limits.ts';
import { ArrowLeft, Gift, MailCheck, ShieldCheck } from 'lucide-react';
import { Khatam } from '../../components/logo.tsx';
import { PublicHeader } from '../../components/public-header.tsx';
import { StarWindow } from '../../components/star-window.tsx';
import { paths } from '../../paths.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

export function LandingPage() {
  return (
    <>
      <a href="#main" className="btn btn-primary btn-sm fixed top-3 start-3 z-50 not-focus:sr-only">
        {m.skip_to_content()}
      </a>
      <PublicHeader>
        <a href={paths.signIn} className="btn btn-ghost btn-sm">
          {m.landing_sign_in()}
        </a>
        <a href={paths.signIn} className="btn btn-primary btn-sm max-sm:hidden">
          {m.landing_start()}
        </a>
      </PublicHeader>
      <main id="main">
        <Hero />
        <HowItWorks />
      </main>
      <footer className="mx-auto max-w-[1280px] px-5 lg:px-10 pb-10 flex flex-wrap justify-between gap-x-6 gap-y-1 text-xs text-text-3">
        <p>{m.landing_map_note()}</p>
        <p>
          {m.brand()}، {m.version()} <bdi dir="ltr">{limits.appVersion}</bdi>
        </p>
      </footer>
    </>
  );
}

function Hero() {
  const points = [
    { icon: ShieldCheck, text: m.landing_point_1() },
    { icon: Gift, text: m.landing_point_2({ days: number(limits.trial.passwordlessDays) }) },
    { icon: MailCheck, text: m.landing_point_3() },
  ];
  return (
    <section className="relative isolate">
      <div
        aria-hidden="true"
        className="girih absolute inset-0 -z-10 opacity-60 [mask-image:radial-gradient(60%_75%_at_28%_48%,#000,transparent)]"
      />
      <div className="mx-auto max-w-[1280px] px-5 lg:px-10 grid lg:grid-cols-[1.02fr_1fr] items-center gap-x-8 gap-y-10 pt-4 pb-10 lg:pb-12">
        <div className="max-lg:text-center">
          <p className="inline-flex items-center gap-2 rounded-full bg-accent-soft text-accent ps-3 pe-4 py-1.5 text-sm font-bold">
            <Khatam className="size-4" />
            {m.landing_chip()}
          </p>
          <h1 className="text-hero font-black mt-5">
            {m.landing_title_1()}
            <br />
            <span className="text-accent">{m.landing_title_2()}</span>
          </h1>
          <p className="text-lg text-text-2 mt-5 max-w-[33rem] max-lg:mx-auto">{m.landing_text()}</p>
          <div className="flex gap-3 mt-8 max-lg:justify-center">
            <a
              href={paths.signIn}
              className="btn btn-primary px-7 min-h-14 text-[1.0625rem] max-sm:flex-1 max-sm:px-3 max-sm:text-base"
            >
              {m.landing_start_now()}
              <ArrowLeft className="size-5 ltr:-scale-x-100" aria-hidden="true" />
            </a>
            <a href="#how" className="btn btn-ghost min-h-14 max-sm:px-4">
              {m.landing_how()}
            </a>
          </div>
          <ul className="flex flex-wrap gap-x-6 gap-y-2 mt-7 text-sm text-text-3 max-lg:justify-center">
            {points.map(({ icon: Icon, text }) => (
              <li key={text} className="inline-flex items-center gap-2">
                <Icon className="size-4" aria-hidden="true" />
                {text}
              </li>
            ))}
          </ul>
        </div>
        <div className="relative max-sm:max-w-[22rem] max-w-[600px] w-full justify-self-center lg:justify-self-end">
          <StarWindow title={m.landing_map_title()} labels={cityNames()} />
          <div className="lg:absolute lg:bottom-[1%] lg:-end-[1%] max-lg:relative max-lg:flex max-lg:justify-center max-lg:-mt-[13%] max-lg:-mx-2">
            <PriceCard />
          </div>
        </div>
      </div>
    </section>
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

/** The price is in dollar cents; what that is in toman is asked of the server by the page's script. */
function PriceCard() {
  const cents = limits.price.usdCentsPerGb;
  return (
    <section
      aria-labelledby="price"
      className="card p-5 w-[min(20.5rem,86vw)] [box-shadow:var(--edge),var(--shadow-3)] [animation:rise_.6s_.9s_var(--ease-out)_both]"
    >
      <h2 id="price" className="text-sm font-semibold text-text-2">
        {m.landing_price_title()}
      </h2>
      <p className="text-2xl font-black mt-1">{m.landing_price({ cents: number(cents) })}</p>
      <p className="text-xs text-text-3">{m.landing_price_note()}</p>
      <p className="text-sm text-text-2 mt-2 pt-2 border-t border-line" data-price={cents} hidden>
        {m.landing_price_now()}{' '}
        <b className="text-text">
          <span data-amount /> {m.toman_unit()}
        </b>
      </p>
    </section>
  );
}

function HowItWorks() {
  const steps = [
    { title: m.landing_step_1(), text: m.landing_step_1_text() },
    { title: m.landing_step_2(), text: m.landing_step_2_text() },
    { title: m.landing_step_3(), text: m.landing_step_3_text() },
    { title: m.landing_step_4(), text: m.landing_step_4_text() },
  ];
  return (
    <section id="how" aria-labelledby="how-title" className="mx-auto max-w-[1280px] px-5 lg:px-10 pb-14 max-lg:pt-4">
      <h2 id="how-title" className="text-2xl font-black mb-5">
        {m.landing_how()}
      </h2>
      <ol className="card grid sm:grid-cols-2 lg:grid-cols-4 overflow-hidden [&>li]:border-line max-sm:[&>li+li]:border-t sm:max-lg:[&>li:nth-child(even)]:border-s sm:max-lg:[&>li:nth-child(n+3)]:border-t lg:[&>li+li]:border-s">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="flex lg:block gap-4 px-5 sm:px-6 py-5">
            <span
              aria-hidden="true"
              className="grid place-items-center size-9 shrink-0 rounded-full bg-accent-soft text-accent font-black"
            >
              {number(index + 1)}
            </span>
            <div>
              <h3 className="text-lg font-bold lg:mt-3">{title}</h3>
              <p className="text-sm text-text-2 mt-0.5">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

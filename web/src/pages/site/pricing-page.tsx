import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { CallToAction, PageFrame, Parts } from './page-frame.tsx';
import { pageText } from './text/page-text.ts';

export function PricingPage() {
  const text = pageText().pricing;
  return (
    <PageFrame path="/pricing" text={text}>
      <div data-prices="" className="grid gap-5 lg:grid-cols-[1fr_1.25fr] items-start">
        <div className="grid gap-5">
          <PerGigabyte />
          <Plans />
        </div>
        <div className="card p-6 sm:p-8">
          <Parts parts={text.parts} />
        </div>
      </div>
      <CallToAction />
    </PageFrame>
  );
}

/** Toman first, once the script knows the rate; until then, and without scripts, the price in cents that the operator set. */
function PerGigabyte() {
  const text = pageText().pricing;
  return (
    <section aria-labelledby="per-gb" className="panel p-7 sm:p-8">
      <h2 id="per-gb" className="font-semibold text-text-2">
        {text.perGb}
      </h2>
      <p data-without-rate="" className="text-[3rem] leading-[1.4] font-black">
        {text.cents}
      </p>
      <div data-with-rate="" hidden>
        <p className="text-[3rem] leading-[1.4] font-black">
          <span data-amount="1" /> <span className="text-xl font-bold text-text-2">{m.toman_unit()}</span>
        </p>
        <p className="text-sm text-text-2">
          {text.inCents}{' '}
          <span data-test-rate="" className="badge bg-spark-soft text-spark-text" hidden>
            {m.rate_is_test()}
          </span>
        </p>
      </div>
      <p className="text-sm text-text-3 mt-1">{text.perGbNote}</p>
      <div data-with-rate="" hidden className="mt-4 pt-4 border-t border-line">
        <h3 className="text-sm font-bold">{text.examples}</h3>
        <dl className="mt-1 text-sm">
          {[10, 50, 100].map((gigabytes) => (
            <div key={gigabytes} className="flex justify-between py-2 border-b border-line last:border-0">
              <dt>
                {number(gigabytes)} {text.gigabytes}
              </dt>
              <dd className="font-bold">
                <span data-amount={gigabytes} /> {m.toman_unit()}
              </dd>
            </div>
          ))}
        </dl>
        <p className="text-xs text-text-3 mt-2">{text.examplesNote}</p>
      </div>
    </section>
  );
}

/** One card for each plan that is sold; the script makes them from the template. */
function Plans() {
  const text = pageText().pricing.plans;
  return (
    <section aria-labelledby="plans" data-plans="" hidden>
      <h2 id="plans" className="text-xl font-black">
        {text.heading}
      </h2>
      <p className="text-text-2 mt-1">{text.lead}</p>
      <ul className="grid gap-3 mt-4">
        <template>
          <li className="card p-5 flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <h3 className="text-lg font-bold">
              <bdi data-name="">{text.heading}</bdi>
            </h3>
            <p className="ms-auto text-lg font-black">
              <span data-price="" /> <span className="text-sm font-semibold text-text-3">{m.toman_unit()}</span>
            </p>
            <p className="basis-full text-sm text-text-2">
              <span data-days="" /> {text.days}
              {m.comma()}{' '}
              <span data-line="">
                <span data-gigabytes="" /> {text.gigabytes}
              </span>
              <span data-line="">
                <span data-unlimited="">{text.unlimited}</span>
              </span>
              {m.comma()} <span data-devices="" /> {text.devices}
              <span data-line="">
                {m.comma()} {text.speedBefore} <span data-mbit="" /> {text.speedAfter}
              </span>
            </p>
            <p className="basis-full text-sm text-accent" data-line="">
              {text.fromBefore} <b data-from="" /> {text.fromAfter}
            </p>
          </li>
        </template>
      </ul>
    </section>
  );
}

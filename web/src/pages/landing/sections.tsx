import {
  CreditCard,
  Globe,
  Laptop,
  Mail,
  Monitor,
  RotateCcw,
  ShieldCheck,
  Smartphone,
  Tablet,
  Terminal,
} from 'lucide-react';
import { When } from '../../components/when.tsx';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { QuestionList } from '../site/question-list.tsx';
import { href } from '../site/site-paths.ts';
import { pageText } from '../site/text/page-text.ts';
import { landingText } from './landing-text.ts';
import { SampleMark, Section } from './section.tsx';

export function Comparison() {
  const text = landingText().compare;
  return (
    <Section
      id="compare"
      title={text.title}
      text={
        <>
          {text.text} <When holds="demonstrations">{text.samples}</When>
        </>
      }
    >
      <div className="card overflow-hidden">
        <table className="w-full table-fixed text-start max-sm:text-sm">
          <thead>
            <tr className="text-sm text-text-3 [&>th]:font-semibold [&>th]:text-start [&>th]:px-3 sm:[&>th]:px-6 [&>th]:py-3">
              <th scope="col">{text.feature}</th>
              <th scope="col" className="bg-accent-soft text-accent">
                {m.brand()}
              </th>
              <th scope="col">{text.others}</th>
            </tr>
          </thead>
          <tbody className="[&>tr]:border-t [&>tr]:border-line [&_td]:px-3 [&_th]:px-3 sm:[&_td]:px-6 sm:[&_th]:px-6 [&_td]:py-3.5 [&_th]:py-3.5">
            {text.rows.map((row) => {
              const holds = row.holds ?? row.claim;
              return holds ? (
                <When key={row.feature} holds={holds}>
                  <ComparisonRow {...row} />
                </When>
              ) : (
                <ComparisonRow key={row.feature} {...row} />
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function ComparisonRow({ feature, ours, others, claim }: ReturnType<typeof landingText>['compare']['rows'][number]) {
  return (
    <tr>
      <th scope="row" className="font-medium text-start text-text-2">
        {feature}
      </th>
      <td className="bg-accent-soft font-bold">
        {ours} {claim && <SampleMark claim={claim} className="ms-1" />}
      </td>
      <td className="text-text-2">
        {others} {claim === 'monthlyPriceToman' && <SampleMark claim="othersFromToman" className="ms-1" />}
      </td>
    </tr>
  );
}

/** What a visitor can check without believing anybody. */
export function Promises() {
  const text = landingText().promises;
  const icons = [CreditCard, ShieldCheck, RotateCcw, Globe];
  return (
    <Section id="promises" title={text.title} text={text.text}>
      <ul className="grid gap-5 sm:grid-cols-2">
        {text.items.map(([title, body], index) => {
          const Icon = icons[index]!;
          return (
            <li key={title} className="card p-5 sm:p-6 flex gap-4">
              <span className="grid place-items-center size-11 shrink-0 rounded-md bg-accent-soft text-accent">
                <Icon className="size-5" aria-hidden="true" />
              </span>
              <div>
                <h3 className="text-lg font-bold">{title}</h3>
                <p className="text-sm text-text-2 mt-0.5">{body}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

export function HowItWorks() {
  const text = landingText().how;
  return (
    <Section id="how" title={text.title}>
      <ol className="card grid sm:grid-cols-2 lg:grid-cols-4 overflow-hidden [&>li]:border-line max-sm:[&>li+li]:border-t sm:max-lg:[&>li:nth-child(even)]:border-s sm:max-lg:[&>li:nth-child(n+3)]:border-t lg:[&>li+li]:border-s">
        {text.steps.map(([title, body], index) => (
          <li key={title} className="flex lg:block gap-4 px-5 sm:px-6 py-5">
            <span
              aria-hidden="true"
              className="grid place-items-center size-9 shrink-0 rounded-full bg-accent-soft text-accent font-black"
            >
              {number(index + 1)}
            </span>
            <div>
              <h3 className="text-lg font-bold lg:mt-3">{title}</h3>
              <p className="text-sm text-text-2 mt-0.5">{body}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

export function Apps() {
  const text = landingText().apps;
  const icons = [Monitor, Laptop, Smartphone, Tablet, Terminal, Globe];
  const { cards } = pageText().downloads;
  return (
    <Section
      id="apps"
      title={text.title}
      text={text.text}
      aside={
        <a href={href('/downloads')} className="btn btn-ghost">
          {text.all}
        </a>
      }
    >
      <ul className="grid grid-cols-2 sm:grid-cols-3 lg:grid-cols-6 gap-3 sm:gap-4">
        {cards.map(({ name, note }, index) => {
          const Icon = icons[index]!;
          return (
            <li key={name}>
              <a
                href={href('/downloads')}
                className="card h-full p-5 grid justify-items-center content-center gap-2 text-center hover:bg-surface-2"
              >
                <Icon className="size-8 text-accent" aria-hidden="true" />
                <b>{name}</b>
                {index === cards.length - 1 && <span className="text-xs text-text-3">{note}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

export function Testimonials() {
  const text = landingText().testimonials;
  const { sample } = landingText();
  return (
    <Section id="testimonials" title={text.title} text={text.text}>
      <ul className="grid gap-5 lg:grid-cols-3">
        {text.items.map(([quote, name, who]) => (
          <li key={name}>
            <figure className="card h-full p-6 flex flex-col gap-4">
              <blockquote className="text-text-2">{quote}</blockquote>
              <figcaption className="mt-auto flex items-center gap-3">
                <span
                  aria-hidden="true"
                  className="grid place-items-center size-11 rounded-full bg-accent-soft text-accent font-black"
                >
                  {name?.slice(0, 1)}
                </span>
                <span>
                  <b className="block leading-7">{name}</b>
                  <span className="text-sm text-text-3">{who}</span>
                </span>
                <span className="badge bg-surface-2 text-text-2 ms-auto">{sample}</span>
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Questions() {
  const text = landingText().faq;
  return (
    <Section
      id="faq"
      title={text.title}
      aside={
        <a href={href('/faq')} className="btn btn-ghost">
          {text.all}
        </a>
      }
    >
      <QuestionList items={pageText().faq.items.slice(0, 5)} />
    </Section>
  );
}

export function Support() {
  const text = landingText().support;
  return (
    <section
      id="support"
      aria-labelledby="support-title"
      className="mx-auto max-w-[1280px] px-5 lg:px-10 py-9 lg:py-14"
    >
      <div className="night rounded-xl relative overflow-hidden px-6 py-10 sm:px-12 sm:py-14 flex flex-wrap items-center justify-between gap-6">
        <div className="max-w-[36rem]">
          <h2 id="support-title" className="text-2xl lg:text-3xl font-black">
            {text.title}
          </h2>
          <p className="text-on-night-2 mt-2">{text.text}</p>
        </div>
        <div className="flex flex-wrap gap-3 max-sm:w-full">
          <a href={href('/contact')} className="btn btn-night max-sm:w-full">
            <Mail className="size-5" aria-hidden="true" />
            {text.contact}
          </a>
          <a href={href('/guides')} className="btn btn-night max-sm:w-full">
            {text.guides}
          </a>
        </div>
      </div>
    </section>
  );
}

import type { ReactNode } from 'react';
import { CountStar } from '../../components/tile-star.tsx';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { inLanguage } from '../site/site-paths.ts';
import { siteText } from '../site/text/site-text.ts';
import { systems } from '../user/configs/device-system.ts';
import { Guides, ScanGuide } from './guides.tsx';
import { FromSender, Slots, slot } from './slots.tsx';

/** What messengers show of the link before anybody opens it: nothing of what it is for. */
export function FamilyHead() {
  return <title>{`${m.family_title()} | ${m.brand()}`}</title>;
}

/**
 * The page behind a family link (decision 90): everything that it can say is in the document, and its script shows the part that
 * fits and fills the names in. So a slow phone waits for one small script, and reads no program.
 */
export function FamilyPage() {
  return (
    <main id="main" className="mx-auto max-w-[34rem] min-h-dvh px-5 py-8 flex flex-col justify-center text-lg">
      <noscript>
        <p className="card p-6 text-center">{m.family_needs_script()}</p>
      </noscript>
      <Screen name="checking" hidden={false}>
        <Star lit={0} className="size-20 mx-auto" />
        <Heading className="mt-5 text-lg font-medium text-text-2">{m.family_checking()}</Heading>
      </Screen>
      <Unopened />
      <Opened />
      <Closed name="used" title={m.family_used_title()} text={m.family_used_text()} />
      <Closed name="expired" title={m.family_expired_title()} text={m.family_expired_text()} />
      <Closed name="ended" title={m.family_ended_title()} text={m.family_ended_text()} />
      <Closed name="unknown" title={m.family_unknown_title()} text={m.family_unknown_text()} />
      <Closed name="offline" title={m.family_offline_title()} text={m.family_offline_text()} canRetry />
      <Closed name="failed" title={m.family_failed_title()} text={m.family_failed_text()} canRetry />
      <Closed name="cookies" title={m.family_cookies_title()} text={m.family_cookies_text()} canRetry />
      <LanguageLink />
    </main>
  );
}

/** Grey until the link is open, then lit. */
function Star({ lit, className }: { lit: 0 | 8; className: string }) {
  return (
    <CountStar lit={lit} className={className}>
      {null}
    </CountStar>
  );
}

function Screen({ name, hidden = true, children }: { name: string; hidden?: boolean; children: ReactNode }) {
  return (
    <section data-screen={name} hidden={hidden} className={name === 'page' ? 'grow' : 'text-center unscripted:hidden'}>
      {children}
    </section>
  );
}

function Heading({ className, children }: { className: string; children: ReactNode }) {
  return (
    <h1 tabIndex={-1} className={`[overflow-wrap:anywhere] ${className}`}>
      {children}
    </h1>
  );
}

/** Comes first: the link is opened by a press, which no preview of a messenger does. */
function Unopened() {
  return (
    <Screen name="new">
      <div className="card px-6 py-9">
        <Star lit={0} className="size-26 mx-auto" />
        <Heading className="mt-5 text-3xl font-black">
          <Slots text={m.family_for({ guest: slot('guest') })} />
        </Heading>
        <p className="mt-1 text-text-2">
          <FromSender named={m.family_from({ sender: slot('sender') })} unnamed={m.family_from_somebody()} />
        </p>
        <button type="button" data-open="" className="btn btn-primary w-full mt-6 min-h-16 text-lg">
          {m.family_open()}
        </button>
        <p className="mt-4 text-text-2">{m.family_open_once()}</p>
        <p className="mt-4 text-text-2">{m.family_open_browser()}</p>
      </div>
      <p className="mt-4 text-text-3">
        <Slots text={m.family_open_until({ date: slot('expires_date'), time: slot('expires_time') })} />
      </p>
    </Screen>
  );
}

function Opened() {
  return (
    <Screen name="page">
      <div className="flex items-center gap-4">
        <Star lit={8} className="size-14 shrink-0" />
        <div className="min-w-0">
          <Heading className="text-xl font-black">
            <Slots text={m.family_for({ guest: slot('guest') })} />
          </Heading>
          <p className="text-text-2">
            <FromSender named={m.family_made_by({ sender: slot('sender') })} unnamed={m.family_made_by_somebody()} />
          </p>
        </div>
      </div>
      <p data-cap-reached="" hidden className="mt-5 rounded-md bg-spark-soft text-spark-text px-4 py-3 font-medium">
        <Slots text={m.family_cap_reached({ date: slot('resets_date') })} />
      </p>
      <Where />
      <div data-part="this">
        <Guides />
        <SystemChoice />
      </div>
      <div data-part="other" hidden>
        <div className="night rounded-lg mt-5 p-6 text-center">
          <div className="mx-auto max-w-90 rounded-md bg-[#fff] p-3">
            <img data-code="" alt={m.family_qr()} width="336" height="336" className="block w-full aspect-square" />
          </div>
          <h2 className="mt-5 text-lg font-bold">
            <Slots text={m.family_qr_title({ guest: slot('guest') })} />
          </h2>
          <p className="text-on-night-2">{m.family_qr_text()}</p>
        </div>
        <ScanGuide />
      </div>
      <p className="mt-8 pt-5 border-t border-line text-text-2">
        <FromSender
          named={m.family_paid_by({ bytes: slot('bytes'), sender: slot('sender') })}
          unnamed={m.family_paid_by_somebody({ bytes: slot('bytes') })}
        />
      </p>
      <p className="mt-2 text-text-3">
        <Slots text={m.family_shown_until({ date: slot('shown_date'), time: slot('shown_time') })} />
      </p>
    </Screen>
  );
}

/** Native radio buttons, so that the arrow keys work without a script. */
function Where() {
  return (
    <fieldset data-where="" className="mt-6">
      <legend className="sr-only">{m.family_where()}</legend>
      <div className="grid grid-cols-2 rounded-md bg-sunken dark:bg-surface p-1 gap-1">
        <WhereOption value="this">
          <span data-on="phone">{m.family_this_phone()}</span>
          <span data-on="computer">{m.family_this_computer()}</span>
        </WhereOption>
        <WhereOption value="other">{m.family_other_phone()}</WhereOption>
      </div>
    </fieldset>
  );
}

function WhereOption({ value, children }: { value: 'this' | 'other'; children: ReactNode }) {
  return (
    <label className="grid cursor-pointer">
      <input type="radio" name="where" value={value} className="peer sr-only" />
      <span className="grid place-items-center min-h-14 px-3 py-1 rounded-sm text-center text-text-2 peer-checked:bg-surface peer-checked:text-text peer-checked:font-bold peer-checked:shadow-1 dark:peer-checked:bg-surface-2 peer-focus-visible:outline-2 peer-focus-visible:outline-accent">
        {children}
      </span>
    </label>
  );
}

/** A browser that asks for the pages of a desk says that it runs on another system. */
function SystemChoice() {
  const names = { android: 'Android', ios: 'iPhone, iPad', windows: 'Windows', macos: 'Mac', linux: 'Linux' } as const;
  return (
    <label className="block mt-8 text-text-2">
      {m.family_system()}
      <select data-system="" className="input mt-1.5 min-h-14">
        {systems.map((system) => (
          <option key={system} value={system}>
            {names[system]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ClosedProps {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Whether it may work the next time. */
  readonly canRetry?: boolean;
}

function Closed({ name, title, text, canRetry = false }: ClosedProps) {
  return (
    <Screen name={name}>
      <div className="card px-6 py-9">
        <Star lit={0} className="size-20 mx-auto" />
        <Heading className="mt-5 text-xl font-black">{title}</Heading>
        <p className="mt-2 text-text-2">{text}</p>
        {canRetry && (
          <button type="button" data-again="" className="btn btn-primary w-full mt-6 min-h-16 text-lg">
            {m.try_again()}
          </button>
        )}
      </div>
    </Screen>
  );
}

/** The script puts the link's token behind it. */
function LanguageLink() {
  const other = currentLocale() === 'fa' ? 'en' : 'fa';
  return (
    <p className="mt-6 text-center">
      <a
        href={inLanguage('/family', other)}
        hrefLang={other}
        lang={other}
        data-language=""
        className="inline-flex items-center min-h-12 px-4 text-text-2 underline underline-offset-4"
      >
        {siteText().otherLanguage}
      </a>
    </p>
  );
}

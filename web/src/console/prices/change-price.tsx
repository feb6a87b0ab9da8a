import type { Prices } from '@raha/contract/admin/prices.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { useRef, useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, duration, signedNumber } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { atOnceOf, inTime, waitOf } from '../approvals/second.ts';
import { Field } from '../field.tsx';
import { goTo } from '../path.ts';
import { priceOf } from './words.ts';

interface Props {
  readonly prices: Prices;
  onDone(sentence: string): void;
  onClose(): void;
}

/** Minutes from now; undefined: at once. */
const moments = [undefined, 10, 60, 1_440, 10_080] as const;
type Moment = (typeof moments)[number];

/** A new price, from now or from a moment on. What it does is said before: what a gigabyte costs then, and what keeps its price. */
export function ChangePrice({ prices, onDone, onClose }: Props) {
  const isPlanned = prices.versions.some(({ state }) => state === 'planned');
  const [typed, setTyped] = useState('');
  const [moment, setMoment] = useState<Moment>();
  const outcome = useRef<'done' | 'proposed'>('done');
  const cents = typed.trim() === '' ? Number.NaN : parseAmount(typed);
  const act = async (reason: string) => {
    const from = moment === undefined ? {} : { from: new Date(now() + moment * 60_000).toISOString() };
    const answer = await api.changePrice({ body: { usd_cents_per_gb: cents, seen: prices.seen, reason, ...from } });
    outcome.current = answer.data.outcome;
  };
  return (
    <ActDialog
      title={prices.second ? m.console_price_propose() : m.console_price_change()}
      effect={effectOf(prices, cents, moment)}
      button={buttonOf(prices, moment)}
      isReady={Number.isInteger(cents) && cents >= 0}
      act={act}
      onDone={() => {
        if (outcome.current === 'proposed') goTo('/admin/corrections');
        else onDone(moment === undefined ? m.console_price_changed() : m.console_price_planned_outcome());
      }}
      onClose={onClose}
    >
      {(work) => (
        <>
          <Field
            label={m.console_price_new()}
            error={work.fields.usd_cents_per_gb}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
          <fieldset className="c-pick">
            <legend>{m.console_price_when()}</legend>
            {moments
              .filter((known) => known === undefined || !isPlanned)
              .map((known) => (
                <label key={String(known)}>
                  <input type="radio" name="moment" checked={known === moment} onChange={() => setMoment(known)} />
                  {known === undefined
                    ? atOnceOf(prices.second)
                    : m.console_price_later({ time: duration(known * 60) })}
                </label>
              ))}
          </fieldset>
          {isPlanned ? <p className="c-hint">{m.console_price_one_planned()}</p> : null}
        </>
      )}
    </ActDialog>
  );
}

function buttonOf({ second }: Prices, moment: Moment): string {
  if (second) return m.console_cards_propose();
  return moment === undefined ? m.console_price_change() : m.console_price_plan();
}

function effectOf(prices: Prices, cents: number, moment: Moment): string {
  const { second, usd_cents_per_gb: before } = prices;
  if (!Number.isInteger(cents)) return `${waitOf(second)} ${m.console_price_keeps()}`.trim();
  const step = {
    before: priceOf(prices, prices.rate),
    after: priceOf({ usd_cents_per_gb: cents }, prices.rate),
    percent: before === 0 ? '–' : signedNumber(Math.round((100 * (cents - before)) / before)),
  };
  const sentence = () => {
    if (moment === undefined) return second ? m.console_price_effect_approved(step) : m.console_price_effect_now(step);
    const later = { ...step, date: dateTime(new Date(now() + moment * 60_000).toISOString()) };
    return second ? m.console_price_effect_in_time({ ...later, ...inTime() }) : m.console_price_effect_later(later);
  };
  return `${waitOf(second)} ${sentence()} ${m.console_price_keeps()}`.trim();
}

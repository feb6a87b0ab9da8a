import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import type { Terms } from './draft.ts';
import { daysOf, devicesOf, speedOf, trafficOf } from './words.ts';

/** A plan as those who buy it see it. */
export function Preview({ name, isPopular, terms }: { name: string; isPopular: boolean; terms: Terms }) {
  const speed = speedOf(terms);
  return (
    <section className="c-plan-preview" aria-label={m.console_plan_preview()}>
      <p className="c-hint">{m.console_plan_preview()}</p>
      <p className="c-plan-name">
        <strong>{name}</strong>
        {isPopular ? <small>{m.console_plan_popular()}</small> : null}
      </p>
      <p>
        {terms.original_price === null ? null : <s>{number(terms.original_price)}</s>}{' '}
        <b>{m.toman({ amount: number(terms.price) })}</b>{' '}
        <span>{m.console_plan_for({ days: daysOf(terms.duration_days) })}</span>
      </p>
      <p>
        {m.console_plan_use({ traffic: trafficOf(terms), devices: devicesOf(terms.max_devices) })}
        {speed === undefined ? null : `${m.comma()}${speed}`}
      </p>
    </section>
  );
}

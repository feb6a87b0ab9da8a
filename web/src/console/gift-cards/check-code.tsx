import type { CheckedCode } from '@raha/contract/admin/gift-cards.ts';
import { useState } from 'react';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { Link } from '../link.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { dollars, shownCard } from './words.ts';

/** A typed code, and what became of its card. A code that was found does not stay on the screen. */
export function CheckCode() {
  const [typed, setTyped] = useState('');
  const [checked, setChecked] = useState<CheckedCode>();
  const work = useWork();
  const check = async () => {
    setChecked(undefined);
    const { data } = await api.checkCardCode({ body: { code: typed } });
    setChecked(data);
    if (data.outcome === 'found') setTyped('');
  };
  return (
    <section className="c-check-code" aria-label={m.console_card_check()}>
      <form
        className="c-search"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '') void work.run(check);
        }}
      >
        <Field
          label={m.console_card_check()}
          hint={m.console_card_check_hint()}
          error={work.fields.code}
          dir="ltr"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={40}
          value={typed}
          onText={setTyped}
        />
        <div className="c-buttons">
          <button type="submit" className="c-button" disabled={work.isBusy || typed.trim() === ''}>
            {m.console_card_check_do()}
          </button>
        </div>
      </form>
      <Problem sentence={work.sentence} />
      <p className="c-outcome" role="status">
        {checked ? <Finding checked={checked} /> : null}
      </p>
    </section>
  );
}

function Finding({ checked: { outcome, card } }: { checked: CheckedCode }) {
  if (card === null) return <>{outcome === 'mistyped' ? m.console_card_mistyped() : m.console_card_unknown()}</>;
  return (
    <>
      {sentenceOf(card)}{' '}
      <Link to={`/admin/gift-cards/${card.batch}`} className="c-link">
        {m.console_card_open_batch()}
      </Link>
    </>
  );
}

function sentenceOf(card: NonNullable<CheckedCode['card']>): string {
  const about = { card: shownCard(card.last4), amount: dollars(card.usd_cents) };
  if (card.state === 'redeemed' && card.redeemed_at)
    return m.console_card_was_redeemed({ ...about, date: dateTime(card.redeemed_at) });
  if (card.state === 'void' && card.voided_at)
    return m.console_card_was_voided({ ...about, date: dateTime(card.voided_at) });
  if (card.expires_at === null) return m.console_card_usable({ ...about });
  const ends = { ...about, date: dateTime(card.expires_at) };
  return card.state === 'expired' ? m.console_card_was_expired(ends) : m.console_card_usable_until(ends);
}

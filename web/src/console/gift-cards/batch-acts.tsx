import { batchName, type CardBatch, type CardLine } from '@raha/contract/admin/gift-cards.ts';
import { foldDigits } from '@raha/contract/persian.ts';
import { useState } from 'react';
import { date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { dollars, endOfDayIn, leftOf, readDays, shownCard, shownName } from './words.ts';

interface DialogProps {
  onDone(sentence: string): void;
  onClose(): void;
}

/** Final: what it does is shown in numbers, and the end of the batch's id has to be typed. */
export function VoidBatch({ batch, onDone, onClose }: DialogProps & { readonly batch: CardBatch }) {
  const [typed, setTyped] = useState('');
  const name = foldDigits(typed).trim().toLowerCase();
  const numbers = {
    active: number(batch.active),
    amount: dollars(batch.outstanding_usd_cents),
    expired: number(batch.expired),
    redeemed: number(batch.redeemed),
  };
  return (
    <ActDialog
      title={m.console_batch_void_title({ batch: shownName(batch) })}
      effect={m.console_batch_void_effect(numbers)}
      button={m.console_batch_void()}
      look="c-final"
      isReady={name === batchName(batch)}
      act={(reason) => api.voidCardBatch({ params: { id: batch.id }, body: { name, reason } })}
      onDone={() => onDone(m.console_batch_voided())}
      onClose={onClose}
    >
      {() => (
        <TypedName label={m.console_batch_type_name({ name: shownName(batch) })} typed={typed} onText={setTyped} />
      )}
    </ActDialog>
  );
}

/** Final as well; a card is named by what is seen of its code. */
export function VoidCard({ card, onDone, onClose }: DialogProps & { readonly card: CardLine }) {
  const [typed, setTyped] = useState('');
  const last4 = foldDigits(typed).trim().toUpperCase();
  return (
    <ActDialog
      title={m.console_card_void_of({ card: shownCard(card.last4) })}
      effect={m.console_card_void_effect({ amount: dollars(card.usd_cents) })}
      button={m.console_card_void_do()}
      look="c-final"
      isReady={last4 === card.last4}
      act={(reason) => api.voidCard({ params: { id: card.id }, body: { last4, reason } })}
      onDone={() => onDone(m.console_card_voided())}
      onClose={onClose}
    >
      {() => (
        <TypedName
          label={m.console_card_type_last4({ last4: `\u2066${card.last4}\u2069` })}
          typed={typed}
          onText={setTyped}
        />
      )}
    </ActDialog>
  );
}

/** Can be taken back: with a later end, cards that are over work again. */
export function ExpireBatch({ batch, onDone, onClose }: DialogProps & { readonly batch: CardBatch }) {
  const [typed, setTyped] = useState('');
  const days = readDays(typed);
  const isReady = !Number.isNaN(days);
  const count = number(leftOf(batch));
  const effectOf = () => {
    if (!isReady) return m.console_batch_expire_effect({ count });
    if (days === 0) return m.console_batch_expire_now({ count });
    return m.console_batch_expire_until({ count, date: date(endOfDayIn(days)) });
  };
  const act = (reason: string) => {
    const at = days === 0 ? {} : { at: endOfDayIn(days) };
    return api.expireCardBatch({ params: { id: batch.id }, body: { reason, ...at } });
  };
  return (
    <ActDialog
      title={m.console_batch_expire()}
      effect={effectOf()}
      button={m.console_batch_expire()}
      isReady={isReady}
      act={act}
      onDone={() => onDone(m.console_batch_expired())}
      onClose={onClose}
    >
      {(work) => (
        <Field
          label={m.console_batch_days()}
          hint={m.console_batch_days_hint()}
          error={work.fields.at ?? (typed.trim() === '' || isReady ? undefined : m.console_cards_days_wrong())}
          inputMode="numeric"
          dir="ltr"
          autoComplete="off"
          value={typed}
          onText={setTyped}
        />
      )}
    </ActDialog>
  );
}

function TypedName({ label, typed, onText }: { label: string; typed: string; onText: (text: string) => void }) {
  return (
    <Field
      label={label}
      dir="ltr"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={typed}
      onText={onText}
    />
  );
}

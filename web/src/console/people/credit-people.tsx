import type { BulkWhom } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { ofPeople } from '../bulks/words.ts';
import { Field } from '../field.tsx';
import { goTo } from '../path.ts';
import { once } from './money-acts.tsx';

interface Props {
  readonly whom: BulkWhom;
  readonly count: number;
  onClose(): void;
}

/** The same amount for all of them: the sum is shown before it is ordered, and a second member approves exactly that. */
export function CreditPeople({ whom, count, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const [message, setMessage] = useState('');
  const amount = parseAmount(typed);
  const isReady = amount > 0 && amount <= staffLimits.adjustMost && message.trim() !== '';
  const minutes = number(staffLimits.bulk.planSeconds / 60);
  const order = async (reason: string, key: string) => {
    const body = { whom, toman: amount, sum: amount * count, message, reason };
    const { data } = await api.creditPeople({ body }, once(key));
    goTo(`/admin/bulks/${data.id}`);
  };
  return (
    <ActDialog
      title={ofPeople('credit', count)}
      effect={
        amount > 0
          ? m.console_bulk_credit_sum({
              amount: number(amount),
              count: number(count),
              sum: number(amount * count),
              minutes,
            })
          : m.console_bulk_credit_effect()
      }
      button={m.console_bulk_propose()}
      isReady={isReady}
      act={order}
      onDone={onClose}
      onClose={onClose}
    >
      {(work) => (
        <>
          <Field
            label={m.console_bulk_each()}
            error={work.fields.toman ?? (typed !== '' && !(amount > 0) ? m.console_adjust_amount_wrong() : undefined)}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
          <Field
            label={m.console_bulk_message()}
            hint={m.console_bulk_message_hint()}
            error={work.fields.message}
            autoComplete="off"
            maxLength={staffLimits.bulk.message}
            value={message}
            onText={setMessage}
          />
        </>
      )}
    </ActDialog>
  );
}

import { parseAmount } from '@raha/contract/persian.ts';
import { useRef, useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { type Second, waitOf } from '../approvals/second.ts';
import { Field } from '../field.tsx';

interface Props {
  readonly second: Second;
  /** Undefined: it is proposed, and not there yet. */
  onDone(id: string | undefined): void;
  onClose(): void;
}

/** A new plan, which nobody sees before it is put on sale on its own page. */
export function MakePlan({ second, onDone, onClose }: Props) {
  const outcome = useRef<'done' | 'proposed'>('done');
  const [id, setId] = useState('');
  const [persian, setPersian] = useState('');
  const [english, setEnglish] = useState('');
  const [typed, setTyped] = useState('');
  const price = parseAmount(typed);
  const isReady =
    /^[a-z][a-z0-9-]{0,30}$/.test(id.trim()) && persian.trim() !== '' && english.trim() !== '' && price >= 0;
  return (
    <ActDialog
      title={second ? m.console_plan_propose_new() : m.console_plan_make()}
      effect={second ? `${waitOf(second)} ${m.console_plan_make_approved()}` : m.console_plan_make_effect()}
      button={second ? m.console_cards_propose() : m.console_plan_make()}
      isReady={isReady}
      act={async (reason) => {
        const body = { name_fa: persian, name_en: english, price, seen: null, reason };
        outcome.current = (await api.setPlan({ params: { id: id.trim() }, body })).data.outcome;
      }}
      onDone={() => onDone(outcome.current === 'proposed' ? undefined : id.trim())}
      onClose={onClose}
    >
      {(work) => (
        <div className="c-plan-fields">
          <Field
            label={m.console_plan_id()}
            hint={m.console_plan_id_hint()}
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            value={id}
            onText={setId}
          />
          <Field
            label={m.console_plan_price()}
            error={work.fields.price}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
          <Field
            label={m.console_plan_name_fa()}
            error={work.fields.name_fa}
            dir="rtl"
            autoComplete="off"
            value={persian}
            onText={setPersian}
          />
          <Field
            label={m.console_plan_name_en()}
            error={work.fields.name_en}
            dir="ltr"
            autoComplete="off"
            value={english}
            onText={setEnglish}
          />
        </div>
      )}
    </ActDialog>
  );
}

import type { UserFacts } from '@raha/contract/admin/people.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { useId, useRef, useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';

interface Props {
  readonly user: UserFacts;
  readonly role: StaffRole;
  onDone(sentence: string): void;
}

/** What the role may do with a user's money. */
export function MoneyActs({ user, role, onDone }: Props) {
  const [open, setOpen] = useState<'adjust' | 'forgive'>();
  if (!isPermitted(role, 'wallet.adjust') || user.status === 'deleted') return null;
  const close = () => setOpen(undefined);
  const done = (sentence: string) => {
    close();
    onDone(sentence);
  };
  return (
    <>
      <button type="button" className="c-button" onClick={() => setOpen('adjust')}>
        {m.console_adjust()}
      </button>
      {user.balance.owed > 0 ? (
        <button type="button" className="c-button" onClick={() => setOpen('forgive')}>
          {m.console_forgive()}
        </button>
      ) : null}
      {open === 'adjust' ? <Adjust user={user} onDone={done} onClose={close} /> : null}
      {open === 'forgive' ? (
        <ActDialog
          title={m.console_forgive()}
          effect={m.console_forgive_text({ amount: number(user.balance.owed) })}
          button={m.console_forgive()}
          act={(reason, key) => api.forgiveDebt({ params: { id: user.id }, body: { reason } }, once(key))}
          onDone={() => done(m.console_adjust_proposed())}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function Adjust({
  user,
  onDone,
  onClose,
}: {
  user: UserFacts;
  onDone: (sentence: string) => void;
  onClose: () => void;
}) {
  const [way, setWay] = useState<'add' | 'take'>('add');
  const [typed, setTyped] = useState('');
  const outcome = useRef<'done' | 'proposed'>('done');
  const id = useId();
  const amount = parseAmount(typed);
  const isReady = amount > 0;
  const toman = way === 'add' ? amount : -amount;
  const before = user.balance.free + user.balance.reserved;
  const act = async (reason: string, key: string) => {
    const { data } = await api.adjustWallet({ params: { id: user.id }, body: { toman, reason } }, once(key));
    outcome.current = data.outcome;
  };
  return (
    <ActDialog
      title={m.console_adjust()}
      effect={
        isReady
          ? m.console_adjust_effect({ before: number(before), after: number(before + toman) })
          : m.console_adjust_text()
      }
      button={m.console_adjust()}
      isReady={isReady}
      act={act}
      onDone={() => onDone(outcome.current === 'proposed' ? m.console_adjust_proposed() : m.console_adjust_done())}
      onClose={onClose}
    >
      {(work) => (
        <>
          <div className="c-field">
            <label htmlFor={id}>{m.console_adjust_way()}</label>
            <select
              id={id}
              className="c-input"
              value={way}
              onChange={(event) => setWay(event.currentTarget.value as 'add' | 'take')}
            >
              <option value="add">{m.console_adjust_add()}</option>
              <option value="take">{m.console_adjust_take()}</option>
            </select>
          </div>
          <Field
            label={m.console_adjust_amount()}
            error={work.fields.toman ?? (typed !== '' && !isReady ? m.console_adjust_amount_wrong() : undefined)}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
        </>
      )}
    </ActDialog>
  );
}

/** Sent again with the same key, an act is done once. */
export function once(key: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { 'idempotency-key': key } };
}

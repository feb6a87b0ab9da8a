import type { PaymentFacts } from '@raha/contract/admin/payments.ts';
import { useRef, useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api, hasCode } from '../api.ts';
import { Field } from '../field.tsx';
import { useActKeys } from '../keys.ts';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { gatewayName, inquirySentences } from './words.ts';

interface Props {
  readonly payment: PaymentFacts;
  onDone(sentence: string): void;
}

/**
 * Ask the bank, and of a payment that waits: credit, unless that is proposed already, or close as failed. Keys Q, C and F.
 */
export function PaymentActs({ payment, onDone }: Props) {
  const [open, setOpen] = useState<'credit' | 'fail'>();
  const [answer, setAnswer] = useState('');
  const asking = useWork();
  const ask = () =>
    void asking.run(async () => {
      const { data } = await api.askBank({ params: { id: payment.id }, body: {} });
      setAnswer(`${inquirySentences[data.answer]()} ${m.console_pay_asked_at({ time: dateTime(data.at) })}`);
    });
  const mayAsk = payment.gateway_reference !== null;
  const mayCredit = payment.waits && payment.credit_proposal === null;
  useActKeys({
    ...(mayAsk ? { KeyQ: ask } : {}),
    ...(mayCredit ? { KeyC: () => setOpen('credit') } : {}),
    ...(payment.waits ? { KeyF: () => setOpen('fail') } : {}),
  });
  const close = () => setOpen(undefined);
  const done = (sentence: string) => {
    close();
    onDone(sentence);
  };
  return (
    <>
      <div className="c-buttons c-acts">
        {mayCredit ? (
          <button
            type="button"
            className="c-button c-main"
            aria-keyshortcuts="c"
            disabled={payment.user.status === 'deleted'}
            onClick={() => setOpen('credit')}
          >
            {m.console_pay_credit()}
          </button>
        ) : null}
        {payment.waits ? (
          <button type="button" className="c-button" aria-keyshortcuts="f" onClick={() => setOpen('fail')}>
            {m.console_pay_fail()}
          </button>
        ) : null}
        {mayAsk ? (
          <button type="button" className="c-button" aria-keyshortcuts="q" disabled={asking.isBusy} onClick={ask}>
            {m.console_pay_ask()}
          </button>
        ) : null}
        <span className="c-keys">{keysOf(payment)}</span>
      </div>
      <p className="c-answered" role="status">
        {answer}
      </p>
      <Problem sentence={asking.sentence} />
      {open === 'credit' ? <Credit payment={payment} onDone={done} onClose={close} /> : null}
      {open === 'fail' ? (
        <ActDialog
          title={m.console_pay_fail()}
          effect={m.console_pay_fail_effect()}
          button={m.console_pay_fail()}
          act={(reason) => api.failPayment({ params: { id: payment.id }, body: { reason } })}
          onDone={() => done(m.console_pay_closed())}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function keysOf({ waits, credit_proposal: proposal }: PaymentFacts): string | null {
  if (!waits) return null;
  return proposal === null ? m.console_pay_keys() : m.console_pay_keys_proposed();
}

interface CreditProps {
  readonly payment: PaymentFacts;
  onDone(sentence: string): void;
  onClose(): void;
}

function Credit({ payment, onDone, onClose }: CreditProps) {
  const proposed = useRef(false);
  const [reference, setReference] = useState(payment.bank_reference ?? referenceIn(payment));
  const [isTaken, setTaken] = useState(false);
  const [isSame, setSame] = useState(false);
  const { amount, balance, user } = payment;
  const act = async (reason: string) => {
    const body = { reference: reference.trim(), same_reference: isSame, reason };
    try {
      const { data } = await api.creditPayment({ params: { id: payment.id }, body });
      proposed.current = data.outcome === 'proposed';
    } catch (error) {
      setTaken(hasCode(error, 'payment_reference_taken'));
      throw error;
    }
  };
  return (
    <ActDialog
      title={m.console_pay_credit_title({ amount: number(amount) })}
      effect={m.console_pay_credit_effect({ before: number(balance), after: number(balance + amount) })}
      button={m.console_pay_credit()}
      isReady={reference.trim() !== '' && user.status !== 'deleted'}
      act={act}
      onDone={() => onDone(proposed.current ? m.console_pay_proposed() : m.console_pay_credited())}
      onClose={onClose}
    >
      {(work) => (
        <>
          <Field
            label={m.console_pay_bank_reference()}
            hint={m.console_pay_reference_hint({ gateway: gatewayName(payment.gateway) })}
            error={work.fields.reference}
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            value={reference}
            onText={setReference}
          />
          {isTaken ? (
            <label className="c-check">
              <input type="checkbox" checked={isSame} onChange={(event) => setSame(event.currentTarget.checked)} />
              {m.console_pay_same()}
            </label>
          ) : null}
        </>
      )}
    </ActDialog>
  );
}

/** The reference that the bank gave with its last answer, if it gave one. */
function referenceIn({ answers }: PaymentFacts): string {
  const names = /(^|\.)(ref_id|shaparak_ref_id|track_id)$/i;
  return answers.at(-1)?.fields.find(({ name }) => names.test(name))?.value ?? '';
}

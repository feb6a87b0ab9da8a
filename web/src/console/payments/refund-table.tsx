import type { StaffRefund } from '@raha/contract/admin/payments.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { StateMark } from '../mark.tsx';
import { isolated, shownName } from '../people/words.ts';
import { gatewayName, refundNames } from './words.ts';

type Act = 'sent' | 'confirm' | 'fail';

interface Props {
  readonly refunds: readonly StaffRefund[];
  readonly role: StaffRole;
  onDone(sentence: string): void;
}

/** Refunds with why they wait, and what an operator does with them. */
export function RefundTable({ refunds, role, onDone }: Props) {
  const [open, setOpen] = useState<{ readonly act: Act; readonly refund: StaffRefund }>();
  const mayAct = isPermitted(role, 'payments.settle');
  return (
    <>
      <table className="c-table c-refunds">
        <thead>
          <tr>
            <th scope="col">{m.console_audit_when()}</th>
            <th scope="col">{m.console_correction_user()}</th>
            <th scope="col" className="c-number">
              {m.console_correction_amount()}
            </th>
            <th scope="col">{m.console_refund_why()}</th>
            <th scope="col">{m.console_user_state()}</th>
          </tr>
        </thead>
        <tbody>
          {refunds.map((refund) => (
            <tr key={refund.id}>
              <td>
                <Link to={`/admin/payments/${refund.payment}`} className="c-link">
                  <time dateTime={refund.created_at}>{dateTime(refund.created_at)}</time>
                </Link>
              </td>
              <td>
                {shownName(refund.user)}
                <small>
                  <LongWord word={refund.user.email} />
                </small>
              </td>
              <td className="c-number">
                {number(refund.amount)}
                <small>{gatewayName(refund.gateway)}</small>
              </td>
              <td>
                {refund.reason === '' ? null : <q>{refund.reason}</q>}
                {refund.failure === null ? null : (
                  <small>
                    <bdi>{refund.failure}</bdi>
                  </small>
                )}
              </td>
              <td>
                <State refund={refund} />
                {refund.waits && mayAct ? <Acts refund={refund} onAct={(act) => setOpen({ act, refund })} /> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {open ? (
        <RefundDialog
          {...open}
          onDone={(sentence) => {
            setOpen(undefined);
            onDone(sentence);
          }}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  );
}

function State({ refund: { state, waits, tracking } }: { refund: StaffRefund }) {
  return (
    <>
      <span className="c-state">
        {waits ? <StateMark tone={state === 'sent' ? 'planned' : 'look'} /> : null}
        {refundNames[state]()}
      </span>
      {tracking === null ? null : <small>{m.console_refund_tracking({ tracking: isolated(tracking) })}</small>}
    </>
  );
}

function Acts({ refund, onAct }: { refund: StaffRefund; onAct: (act: Act) => void }) {
  const acts: readonly Act[] = refund.state === 'sent' ? ['confirm', 'fail'] : ['sent', 'confirm', 'fail'];
  return (
    <div className="c-buttons">
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          className="c-link"
          aria-label={`${actNames[act]()}, ${number(refund.amount)}`}
          onClick={() => onAct(act)}
        >
          {actNames[act]()}
        </button>
      ))}
    </div>
  );
}

const actNames: Readonly<Record<Act, () => string>> = {
  sent: m.console_refund_mark_sent,
  confirm: m.console_refund_confirm,
  fail: m.console_refund_fail,
};

interface DialogProps {
  readonly act: Act;
  readonly refund: StaffRefund;
  onDone(sentence: string): void;
  onClose(): void;
}

const effects: Readonly<Record<Act, (amount: string) => string>> = {
  sent: (amount) => m.console_refund_sent_effect({ amount }),
  confirm: (amount) => m.console_refund_confirm_effect({ amount }),
  fail: (amount) => m.console_refund_fail_effect({ amount }),
};

function RefundDialog({ act, refund, onDone, onClose }: DialogProps) {
  const [typed, setTyped] = useState(refund.tracking ?? '');
  const tracking = typed.trim();
  const params = { id: refund.id };
  const settle = (reason: string) => {
    if (act === 'sent') return api.markRefundSent({ params, body: { tracking, reason } });
    if (act === 'fail') return api.failRefund({ params, body: { reason } });
    return api.confirmRefund({ params, body: { reason, ...(tracking === '' ? {} : { tracking }) } });
  };
  return (
    <ActDialog
      title={actNames[act]()}
      effect={effects[act](number(refund.amount))}
      button={actNames[act]()}
      isReady={act !== 'sent' || tracking !== ''}
      act={settle}
      onDone={() => onDone(m.console_refund_noted())}
      onClose={onClose}
    >
      {(work) =>
        act === 'fail' ? null : (
          <Field
            label={m.console_refund_tracking_field()}
            error={work.fields.tracking}
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
        )
      }
    </ActDialog>
  );
}

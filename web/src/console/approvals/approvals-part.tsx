import { type Approval, approvalPermissions } from '@raha/contract/admin/approvals.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { FormDialog } from '../form-dialog.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { useProof } from '../proof.tsx';
import { useWork } from '../use-work.ts';
import { type DecisionAct, DecisionActs, DecisionState } from './decision.tsx';
import { addressOf, effectOf, moreOf, totalOf, whatOf } from './words.ts';

interface Props {
  readonly approvals: readonly Approval[];
  readonly role: StaffRole;
  onDone(sentence: string): void;
}

/** What waits for a second member apart from corrections of wallets, and what became of the others. */
export function Approvals({ approvals, role, onDone }: Props) {
  const [open, setOpen] = useState<{ readonly act: DecisionAct; readonly approval: Approval }>();
  const close = () => setOpen(undefined);
  const done = (sentence: string) => {
    close();
    onDone(sentence);
  };
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals" className="c-head">
        {m.console_approvals_head()}
      </h2>
      <table className="c-table c-corrections">
        <thead>
          <tr>
            <th scope="col">{m.console_approval_what()}</th>
            <th scope="col" className="c-number">
              {m.console_approval_total()}
            </th>
            <th scope="col">{m.console_correction_why()}</th>
            <th scope="col">{m.console_correction_by()}</th>
            <th scope="col">{m.console_correction_state()}</th>
          </tr>
        </thead>
        <tbody>
          {approvals.map((approval) => (
            <tr key={approval.id} className={approval.state === 'open' ? '' : 'c-quiet'}>
              <td>
                <What approval={approval} />
              </td>
              <td className="c-number">{totalOf(approval)}</td>
              <td>{approval.reason}</td>
              <td>
                <LongWord word={approval.proposed_by} />
                <small>{dateTime(approval.proposed_at)}</small>
              </td>
              <td>
                <DecisionState of={approval} />
                {approval.state === 'open' ? (
                  <DecisionActs
                    of={approval}
                    mayDecide={mayDecide(role, approval)}
                    onAct={(act) => setOpen({ act, approval })}
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {open?.act === 'approve' ? <Approve approval={open.approval} onDone={done} onClose={close} /> : null}
      {open && open.act !== 'approve' ? (
        <Close approval={open.approval} isOwn={open.act === 'withdraw'} onDone={done} onClose={close} />
      ) : null}
    </section>
  );
}

function mayDecide(role: StaffRole, { act }: Approval): boolean {
  return isPermitted(role, 'approvals.decide') && isPermitted(role, approvalPermissions[act]);
}

/** It leads to what was made of it, or to what it would change. */
function What({ approval }: { approval: Approval }) {
  const address = addressOf(approval);
  const more = moreOf(approval);
  return (
    <>
      {address === undefined ? (
        whatOf(approval)
      ) : (
        <Link to={address} className="c-link">
          {whatOf(approval)}
        </Link>
      )}
      {more.length === 0 ? null : <small>{more.join(' · ')}</small>}
    </>
  );
}

interface DialogProps {
  readonly approval: Approval;
  onDone(sentence: string): void;
  onClose(): void;
}

function Approve({ approval, onDone, onClose }: DialogProps) {
  const work = useWork();
  const withProof = useProof();
  const approve = async () => {
    const isDone = await withProof(() => api.approveAct({ params: { id: approval.id }, body: {} }));
    if (isDone) onDone(m.console_correction_done());
  };
  return (
    <FormDialog
      title={m.console_correction_approve()}
      button={m.console_correction_approve()}
      work={work}
      onSubmit={approve}
      onClose={onClose}
    >
      <p className="c-effect">{effectOf(approval)}</p>
      {approval.cards ? <p>{m.console_cards_sealed()}</p> : null}
      <p>{approval.reason}</p>
    </FormDialog>
  );
}

function Close({ approval, isOwn, onDone, onClose }: DialogProps & { readonly isOwn: boolean }) {
  const call = { params: { id: approval.id } };
  const name = isOwn ? m.console_correction_withdraw() : m.console_correction_decline();
  return (
    <ActDialog
      title={name}
      effect={approval.reason}
      button={name}
      act={(reason) =>
        isOwn ? api.withdrawAct({ ...call, body: { reason } }) : api.declineAct({ ...call, body: { reason } })
      }
      onDone={() => onDone(isOwn ? m.console_correction_withdrawn() : m.console_correction_declined())}
      onClose={onClose}
    />
  );
}

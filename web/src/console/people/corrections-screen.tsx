import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Proposal } from '@raha/contract/admin/money.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, number, signedNumber } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Approvals } from '../approvals/approvals-part.tsx';
import { type DecisionAct, DecisionActs, DecisionState } from '../approvals/decision.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { Lead } from '../lead.tsx';
import { LongWord } from '../long-word.tsx';
import { useProof } from '../proof.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { useWork } from '../use-work.ts';
import { About, Kind } from './proposal-about.tsx';
import { isolated } from './words.ts';

/** What waits for a second member, corrections of wallets and the rest, and what became of the others. */
export function CorrectionsScreen({ self }: ScreenProps) {
  const answer = useAnswer('proposals', async () => {
    const [corrections, others] = await Promise.all([
      isPermitted(self.role, 'wallet.adjust') ? api.listProposals() : undefined,
      isPermitted(self.role, 'approvals.propose') ? api.listApprovals() : undefined,
    ]);
    return { proposals: corrections?.data.proposals ?? [], approvals: others?.data.approvals ?? [] };
  });
  const { data, reload } = answer;
  const [open, setOpen] = useState<{ readonly act: DecisionAct; readonly proposal: Proposal }>();
  const [outcome, setOutcome] = useState('');
  const waiting = [...(data?.proposals ?? []), ...(data?.approvals ?? [])].filter(({ state }) => state === 'open');
  const done = (sentence: string) => {
    setOpen(undefined);
    setOutcome(sentence);
    reload();
  };
  const isIdle = waiting.length === 0;
  return (
    <>
      <Lead
        title={
          data
            ? isIdle
              ? m.console_corrections_none()
              : m.console_corrections_lead({ count: number(waiting.length) })
            : m.console_corrections()
        }
        {...(data && isIdle ? { text: m.console_corrections_none_text() } : {})}
      />
      <Reading of={answer} outcome={outcome} />
      {data && data.approvals.length > 0 ? (
        <Approvals approvals={data.approvals} role={self.role} onDone={done} />
      ) : null}
      {data && data.proposals.length > 0 ? (
        <ProposalTable
          proposals={data.proposals}
          role={self.role}
          onAct={(act, proposal) => setOpen({ act, proposal })}
        />
      ) : null}
      {open?.act === 'approve' ? (
        <Approve proposal={open.proposal} onDone={done} onClose={() => setOpen(undefined)} />
      ) : null}
      {open && open.act !== 'approve' ? (
        <Close
          proposal={open.proposal}
          isOwn={open.act === 'withdraw'}
          onDone={done}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  );
}

interface TableProps {
  readonly proposals: readonly Proposal[];
  readonly role: StaffRole;
  onAct(act: DecisionAct, proposal: Proposal): void;
}

function ProposalTable({ proposals, role, onAct }: TableProps) {
  return (
    <section aria-labelledby="corrections">
      <h2 id="corrections" className="c-head">
        {m.console_corrections_head()}
      </h2>
      <table className="c-table c-corrections">
        <thead>
          <tr>
            <th scope="col">{m.console_correction_user()}</th>
            <th scope="col" className="c-number">
              {m.console_correction_amount()}
            </th>
            <th scope="col">{m.console_correction_why()}</th>
            <th scope="col">{m.console_correction_by()}</th>
            <th scope="col">{m.console_correction_state()}</th>
          </tr>
        </thead>
        <tbody>
          {proposals.map((proposal) => (
            <tr key={proposal.id} className={proposal.state === 'open' ? '' : 'c-quiet'}>
              <td>
                <About proposal={proposal} />
              </td>
              <td className="c-number">
                {amountOf(proposal)}
                <Kind proposal={proposal} />
              </td>
              <td>
                {proposal.reason}
                {proposal.bulk ? (
                  <small>{m.console_bulk_tells({ message: isolated(proposal.bulk.message) })}</small>
                ) : null}
              </td>
              <td>
                <LongWord word={proposal.proposed_by} />
                <small>{dateTime(proposal.proposed_at)}</small>
              </td>
              <td>
                <DecisionState of={proposal} isBegun={proposal.kind === 'bulk'} />
                {proposal.state === 'open' ? (
                  <DecisionActs
                    of={proposal}
                    mayDecide={isPermitted(role, 'corrections.decide')}
                    onAct={(act) => onAct(act, proposal)}
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Only a correction has a sign. */
function amountOf({ kind, amount }: Proposal): string {
  return kind === 'adjustment' ? signedNumber(amount) : number(amount);
}

interface DialogProps {
  readonly proposal: Proposal;
  onDone(sentence: string): void;
  onClose(): void;
}

function Approve({ proposal, onDone, onClose }: DialogProps) {
  const work = useWork();
  const withProof = useProof();
  const approve = async () => {
    const isDone = await withProof(() => api.approveProposal({ params: { id: proposal.id }, body: {} }));
    if (isDone) onDone(proposal.bulk ? m.console_correction_approved() : m.console_correction_done());
  };
  return (
    <FormDialog
      title={m.console_correction_approve()}
      button={m.console_correction_approve()}
      work={work}
      onSubmit={approve}
      onClose={onClose}
    >
      <p className="c-effect">
        {m.console_correction_approve_text({ amount: amountOf(proposal), email: isolated(proposal.proposed_by) })}
      </p>
      {proposal.bulk ? (
        <p>{m.console_bulk_approve_text({ minutes: number(staffLimits.bulk.planSeconds / 60) })}</p>
      ) : null}
      <p>{proposal.reason}</p>
    </FormDialog>
  );
}

function Close({ proposal, isOwn, onDone, onClose }: DialogProps & { readonly isOwn: boolean }) {
  const call = { params: { id: proposal.id } };
  const name = isOwn ? m.console_correction_withdraw() : m.console_correction_decline();
  return (
    <ActDialog
      title={name}
      effect={proposal.reason}
      button={name}
      act={(reason) =>
        isOwn ? api.withdrawProposal({ ...call, body: { reason } }) : api.declineProposal({ ...call, body: { reason } })
      }
      onDone={() => onDone(isOwn ? m.console_correction_withdrawn() : m.console_correction_declined())}
      onClose={onClose}
    />
  );
}

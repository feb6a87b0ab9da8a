import { isPermitted } from '@raha/contract/admin/roles.ts';
import type { StaffMember } from '@raha/contract/admin/staff.ts';
import { useState } from 'react';
import { date, number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { AddMember } from './add-member.tsx';
import { api } from './api.ts';
import { DisableMember } from './disable-member.tsx';
import { Lead } from './lead.tsx';
import { LongWord } from './long-word.tsx';
import { Reading } from './reading.tsx';
import type { ScreenProps } from './screen-props.ts';
import { useAnswer } from './use-answer.ts';
import { roleNames } from './words.ts';

type Open = 'add' | { readonly disable: StaffMember } | undefined;

export function StaffScreen({ self }: ScreenProps) {
  const answer = useAnswer('staff', async () => (await api.listStaff()).data.members);
  const { data: members, reload } = answer;
  const [open, setOpen] = useState<Open>();
  const [outcome, setOutcome] = useState('');
  const mayManage = isPermitted(self.role, 'staff.manage');
  const done = (sentence: string) => {
    setOpen(undefined);
    setOutcome(sentence);
    reload();
  };
  const active = members?.filter((member) => member.active) ?? [];
  const supers = active.filter(({ role }) => role === 'super_admin').length;
  return (
    <>
      <Lead
        title={
          members ? m.console_staff_lead({ active: number(active.length), supers: number(supers) }) : m.console_staff()
        }
        {...(mayManage ? {} : { text: m.console_staff_read_only() })}
      >
        {mayManage ? (
          <button type="button" className="c-button c-main" onClick={() => setOpen('add')}>
            {m.console_staff_add()}
          </button>
        ) : null}
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {members ? (
        <MemberTable
          members={members}
          selfId={self.id}
          {...(mayManage ? { onDisable: (member) => setOpen({ disable: member }) } : {})}
        />
      ) : null}
      {open === 'add' ? <AddMember onDone={done} onClose={() => setOpen(undefined)} /> : null}
      {typeof open === 'object' ? (
        <DisableMember member={open.disable} onDone={done} onClose={() => setOpen(undefined)} />
      ) : null}
    </>
  );
}

interface TableProps {
  readonly members: readonly StaffMember[];
  readonly selfId: string;
  onDisable?(member: StaffMember): void;
}

/** Those who work here first. */
function MemberTable({ members, selfId, onDisable }: TableProps) {
  const sorted = [...members].sort((a, b) => Number(b.active) - Number(a.active));
  return (
    <table className="c-table c-staff">
      <thead>
        <tr>
          <th scope="col">{m.console_email()}</th>
          <th scope="col">{m.console_staff_role()}</th>
          <th scope="col">{m.console_staff_since()}</th>
          <th scope="col">{m.console_staff_state()}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((member) => (
          <tr key={member.id} className={member.active ? '' : 'c-quiet'}>
            <td>
              <LongWord word={member.email} />
            </td>
            <td>{roleNames[member.role]()}</td>
            <td data-label={m.console_staff_since()}>{date(member.added_at)}</td>
            <td>
              {member.active ? (
                member.id === selfId ? (
                  m.console_staff_self()
                ) : onDisable ? (
                  <button
                    type="button"
                    className="c-link"
                    aria-label={m.console_staff_disable_of({ email: member.email })}
                    onClick={() => onDisable(member)}
                  >
                    {m.console_staff_disable()}
                  </button>
                ) : null
              ) : (
                m.console_staff_disabled()
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

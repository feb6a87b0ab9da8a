import type { StaffMember } from '@raha/contract/admin/staff.ts';
import { useState } from 'react';
import { m } from '../text/generated/messages.js';
import { api } from './api.ts';
import { FormDialog, ReasonField } from './form-dialog.tsx';
import { useProof } from './proof.tsx';
import { useWork } from './use-work.ts';

interface Props {
  readonly member: StaffMember;
  onDone(sentence: string): void;
  onClose(): void;
}

export function DisableMember({ member, onDone, onClose }: Props) {
  const [reason, setReason] = useState('');
  const work = useWork();
  const withProof = useProof();
  const email = `\u2068${member.email}\u2069`;
  const disable = async () => {
    const isDone = await withProof(() => api.disableStaffMember({ params: { id: member.id }, body: { reason } }));
    if (isDone) onDone(m.console_staff_disabled_done({ email }));
  };
  return (
    <FormDialog
      title={m.console_staff_disable_of({ email })}
      button={m.console_staff_disable()}
      look="c-final"
      work={work}
      onSubmit={disable}
      onClose={onClose}
    >
      <p className="c-effect">{m.console_staff_disable_text({ email })}</p>
      <ReasonField reason={reason} work={work} onText={setReason} />
    </FormDialog>
  );
}

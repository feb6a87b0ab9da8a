import type { StaffMember } from '@raha/contract/admin/staff.ts';
import { useState } from 'react';
import { m } from '../text/generated/messages.js';
import { api } from './api.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Problem } from './problem.tsx';
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
    <Dialog title={m.console_staff_disable_of({ email })} onClose={onClose}>
      <form
        className="c-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void work.run(disable);
        }}
      >
        <p className="c-effect">{m.console_staff_disable_text({ email })}</p>
        <Field
          label={m.console_reason()}
          hint={m.console_reason_hint()}
          error={work.fields.reason}
          autoComplete="off"
          value={reason}
          onText={setReason}
        />
        <Problem sentence={work.sentence} />
        <div className="c-buttons">
          <button type="submit" className="c-button c-final" disabled={work.isBusy}>
            {m.console_staff_disable()}
          </button>
          <button type="button" className="c-button" onClick={onClose}>
            {m.console_cancel()}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

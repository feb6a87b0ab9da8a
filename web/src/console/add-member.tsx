import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { useId, useState } from 'react';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { api } from './api.ts';
import { Field } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useProof } from './proof.tsx';
import { useWork } from './use-work.ts';
import { roleNames, roleTexts } from './words.ts';

export function AddMember({ onDone, onClose }: { onDone: (sentence: string) => void; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<StaffRole>('support');
  const work = useWork();
  const withProof = useProof();
  const id = useId();
  const add = async () => {
    const isDone = await withProof(() => api.addStaffMember({ body: { email, role } }));
    if (isDone) onDone(m.console_staff_added({ email: `\u2068${email.trim()}\u2069` }));
  };
  return (
    <FormDialog
      title={m.console_staff_add()}
      button={m.console_staff_add()}
      work={work}
      onSubmit={add}
      onClose={onClose}
    >
      <Field
        label={m.console_email()}
        type="email"
        dir="ltr"
        autoComplete="off"
        value={email}
        error={work.fields.email}
        onText={setEmail}
      />
      <div className="c-field">
        <label htmlFor={id}>{m.console_staff_role()}</label>
        <select
          id={id}
          className="c-input"
          value={role}
          aria-describedby={`${id}-note`}
          onChange={(event) => setRole(event.currentTarget.value as StaffRole)}
        >
          {staffRoles.map((known) => (
            <option key={known} value={known}>
              {roleNames[known]()}
            </option>
          ))}
        </select>
        <p id={`${id}-note`} className="c-hint">
          {roleTexts[role]()}
        </p>
      </div>
      <p className="c-effect">{m.console_staff_add_text({ hours: number(staffLimits.enrolHours) })}</p>
    </FormDialog>
  );
}

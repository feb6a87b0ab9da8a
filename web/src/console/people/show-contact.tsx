import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { FormDialog, ReasonField } from '../form-dialog.tsx';
import { useWork } from '../use-work.ts';

/** The whole address and number, for a reason. Gone when the dialog closes. */
export function ShowContact({ id, onClose }: { id: string; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [contact, setContact] = useState<{ readonly email: string; readonly phone: string | null }>();
  const work = useWork();
  const show = async () => setContact((await api.showContact({ params: { id }, body: { reason } })).data);
  if (!contact) {
    return (
      <FormDialog
        title={m.console_user_contact_title()}
        button={m.console_user_contact()}
        work={work}
        onSubmit={show}
        onClose={onClose}
      >
        <p className="c-effect">{m.console_user_contact_text()}</p>
        <ReasonField reason={reason} work={work} onText={setReason} />
      </FormDialog>
    );
  }
  return (
    <Dialog title={m.console_user_contact_title()} onClose={onClose}>
      <div className="c-form">
        <p className="c-shown" role="status">
          <bdi dir="ltr">{contact.email}</bdi>
          {contact.phone === null ? null : <bdi dir="ltr">{contact.phone}</bdi>}
        </p>
        <button type="button" className="c-button" onClick={onClose}>
          {m.console_close()}
        </button>
      </div>
    </Dialog>
  );
}

import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';

/** The whole address and number, for a reason. Gone when the dialog closes. */
export function ShowContact({ id, onClose }: { id: string; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [contact, setContact] = useState<{ readonly email: string; readonly phone: string | null }>();
  const work = useWork();
  const show = async () => setContact((await api.showContact({ params: { id }, body: { reason } })).data);
  return (
    <Dialog title={m.console_user_contact_title()} onClose={onClose}>
      {contact ? (
        <div className="c-form">
          <p className="c-shown" role="status">
            <bdi dir="ltr">{contact.email}</bdi>
            {contact.phone === null ? null : <bdi dir="ltr">{contact.phone}</bdi>}
          </p>
          <button type="button" className="c-button" onClick={onClose}>
            {m.console_close()}
          </button>
        </div>
      ) : (
        <form
          className="c-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void work.run(show);
          }}
        >
          <p className="c-effect">{m.console_user_contact_text()}</p>
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
            <button type="submit" className="c-button c-main" disabled={work.isBusy}>
              {m.console_user_contact()}
            </button>
            <button type="button" className="c-button" onClick={onClose}>
              {m.console_cancel()}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

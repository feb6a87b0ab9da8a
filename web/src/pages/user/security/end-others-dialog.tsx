import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { textDirection } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import Sheet from '../../../ui/sheet.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';

export default function EndOthersDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const cancel = useRef<HTMLButtonElement>(null);
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const confirm = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await api.endOtherSessions();
      toast(m.sessions_others_ended());
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      onClose();
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  return (
    <Sheet
      role="alertdialog"
      title={m.sessions_end_others()}
      description={m.sessions_end_question()}
      closeLabel={m.close()}
      direction={textDirection()}
      initialFocus={cancel}
      onClose={onClose}
    >
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3">
        <Button className="btn btn-danger flex-1" busy={busy} onClick={() => void confirm()}>
          {m.sessions_end_confirm()}
        </Button>
        <Button ref={cancel} className="btn btn-ghost flex-1" onClick={onClose}>
          {m.cancel()}
        </Button>
      </div>
    </Sheet>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { AskDialog } from '../shared/ask-dialog.tsx';

export default function EndOthersDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const endOthers = async () => {
    await api.endOtherSessions();
    toast(m.sessions_others_ended());
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    onClose();
  };
  return (
    <AskDialog
      title={m.sessions_end_others()}
      description={m.sessions_end_question()}
      confirmLabel={m.sessions_end_confirm()}
      onConfirm={endOthers}
      onClose={onClose}
    />
  );
}

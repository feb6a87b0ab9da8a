import { m } from '../../../text/generated/messages.js';
import { AskDialog } from '../shared/ask-dialog.tsx';
import { profileApi } from './profile-api.ts';

export default function DeactivateDialog({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const deactivate = async () => {
    await profileApi.deactivateAccount();
    onDone();
    onClose();
  };
  return (
    <AskDialog
      title={m.deactivate_title()}
      description={m.deactivate_question()}
      confirmLabel={m.deactivate_action()}
      onConfirm={deactivate}
      onClose={onClose}
    />
  );
}

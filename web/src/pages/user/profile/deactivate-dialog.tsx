import { m } from '../../../text/generated/messages.js';
import { AskDialog } from '../shared/ask-dialog.tsx';

export default function DeactivateDialog({ onConfirm, onClose }: { onConfirm(): Promise<void>; onClose(): void }) {
  const deactivate = async () => {
    await onConfirm();
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

import type { Config } from '@raha/contract/public/configs.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { FamilyDialog } from './family-dialog.tsx';
import { FileDialog } from './file-dialog.tsx';
import type { Issued, OpenDialog } from './open-dialog.ts';
import { RenameDialog } from './rename-dialog.tsx';

interface ConfigDialogsProps {
  open: OpenDialog;
  onChange(open: OpenDialog | undefined): void;
}

/** Every dialog of the configs screen, in one chunk that is fetched when it is wanted. */
export default function ConfigDialogs({ open, onChange }: ConfigDialogsProps) {
  const close = () => onChange(undefined);
  const showIssued = (config: Config, issued: Issued) => onChange({ kind: 'file', config, issued });
  switch (open.kind) {
    case 'create':
      return <CreateDialog serverId={open.serverId} onClose={close} onIssued={showIssued} />;
    case 'file':
      return (
        <FileDialog
          config={open.config}
          issued={open.issued}
          system={open.system}
          onClose={close}
          onReset={() => onChange({ kind: 'reset', config: open.config })}
        />
      );
    case 'rename':
      return <RenameDialog config={open.config} onClose={close} />;
    case 'family':
      return <FamilyDialog config={open.config} onClose={close} />;
    default:
      return <ConfirmDialog action={open.kind} config={open.config} onClose={close} onIssued={showIssued} />;
  }
}

import { Copy, Download } from 'lucide-react';
import { useRef } from 'react';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { saveFile } from '../shared/save-file.ts';
import { copyText } from './copy-text.ts';

/** The only time that the codes are shown. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const save = useRef<HTMLButtonElement>(null);
  const text = `${codes.join('\n')}\n`;
  return (
    <PanelSheet
      role="alertdialog"
      title={m.recovery_show_title()}
      description={m.recovery_show_text()}
      initialFocus={save}
      onClose={onClose}
    >
      <ol
        dir="ltr"
        aria-label={m.recovery_show_title()}
        className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-md bg-surface-2 px-4 py-4 font-code text-sm text-center"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-3 mt-5">
        <Button ref={save} className="btn btn-ghost flex-1" onClick={() => saveFile('raha-recovery-codes.txt', text)}>
          <Download className="size-5" aria-hidden />
          {m.recovery_download()}
        </Button>
        <Button className="btn btn-ghost flex-1" onClick={() => void copyText(text)}>
          <Copy className="size-5" aria-hidden />
          {m.recovery_copy()}
        </Button>
        <Button className="btn btn-primary w-full" onClick={onClose}>
          {m.recovery_kept()}
        </Button>
      </div>
    </PanelSheet>
  );
}

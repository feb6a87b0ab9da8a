import type { Config } from '@raha/contract/public/configs.ts';
import { Copy, Download } from 'lucide-react';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { saveFile } from '../shared/save-file.ts';
import { keepSavedFile } from './known-file.ts';

interface FileButtonsProps {
  readonly config: Config;
  readonly file: string;
  readonly filename: string;
  readonly isMain: boolean;
}

export function FileButtons({ config, file, filename, isMain }: FileButtonsProps) {
  const save = () => {
    saveFile(filename, file);
    void keepSavedFile(config, filename, file);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(file);
      toast(m.copied());
    } catch {
      toast(m.copy_failed(), 'problem');
    }
  };
  return (
    <div className="flex flex-wrap gap-3">
      <Button
        className={`btn flex-1 min-w-40 whitespace-nowrap ${isMain ? 'btn-primary' : 'btn-ghost'}`}
        onClick={save}
      >
        <Download className="size-5" aria-hidden />
        {m.download_file()}
      </Button>
      <Button className="btn btn-ghost flex-1 min-w-40 whitespace-nowrap" onClick={() => void copy()}>
        <Copy className="size-5" aria-hidden />
        {m.copy_text()}
      </Button>
    </div>
  );
}

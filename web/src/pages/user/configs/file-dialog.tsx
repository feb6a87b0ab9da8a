import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { Copy, Download, RotateCcw, TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { saveFile } from '../shared/save-file.ts';
import { filenameOf, isOnDeviceOnly } from './config-file.ts';
import { DeviceGuide } from './device-guide.tsx';
import { Ikev2Profiles } from './ikev2-profiles.tsx';
import { keepSavedFile } from './known-file.ts';
import type { Issued } from './open-dialog.ts';

const QrCode = lazy(() => import('../../../ui/qr-code.tsx'));

interface FileDialogProps {
  config: Config;
  issued: Issued | undefined;
  onClose(): void;
  onReset(): void;
}

/** How a config gets onto a device: scan, save or copy. */
export function FileDialog({ config, issued, onClose, onReset }: FileDialogProps) {
  const isGone = !issued && isOnDeviceOnly(config);
  const isIkev2 = config.protocol === 'ikev2';
  const stored = useQuery({ ...configFileQuery(config.id), enabled: !issued && !isGone && !isIkev2 });
  const file = issued?.file ?? stored.data;
  return (
    <PanelSheet
      title={<bdi>{config.name}</bdi>}
      description={
        <>
          <LocationName location={config.server.location} /> · <ProtocolName protocol={config.protocol} />
        </>
      }
      night={isGone ? undefined : <Picture config={config} file={file} />}
      onClose={onClose}
    >
      {issued?.once && (
        <p
          role="alert"
          className="flex items-start gap-2.5 rounded-md bg-spark-soft text-spark-text px-4 py-3 mb-4 text-sm font-medium"
        >
          <TriangleAlert className="size-5 shrink-0 mt-0.5" aria-hidden />
          {m.shown_once()}
        </p>
      )}
      {isGone && <Gone onReset={onReset} />}
      {stored.isError && (
        <div className="mb-4">
          <FieldNote problem={errorSentence(stored.error)} />
          <Button className="btn btn-ghost btn-sm mt-3" busy={stored.isFetching} onClick={() => void stored.refetch()}>
            {m.try_again()}
          </Button>
        </div>
      )}
      {isIkev2 && !isGone && <Ikev2Profiles config={config} />}
      {file !== undefined && !isIkev2 && (
        <>
          <FileButtons config={config} file={file} filename={issued?.filename ?? filenameOf(config)} />
          <DeviceGuide protocol={config.protocol} filename={issued?.filename ?? filenameOf(config)} />
        </>
      )}
    </PanelSheet>
  );
}

function Picture({ config, file }: { config: Config; file: string | undefined }) {
  const placeholder = <div className="size-60 rounded-md bg-[oklch(1_0_0/.12)]" aria-hidden />;
  // A certificate does not fit into a code that a camera can read.
  if (config.protocol !== 'wireguard') return <span className="block h-1" />;
  return (
    <div className="grid place-items-center mt-5">
      <Suspense fallback={placeholder}>
        {file ? (
          <QrCode text={file} label={m.qr_of({ name: config.name })} className="size-60 max-w-full" />
        ) : (
          placeholder
        )}
      </Suspense>
    </div>
  );
}

function FileButtons({ config, file, filename }: { config: Config; file: string; filename: string }) {
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
      <Button className="btn btn-primary flex-1" onClick={save}>
        <Download className="size-5" aria-hidden />
        {m.download_file()}
      </Button>
      <Button className="btn btn-ghost flex-1" onClick={() => void copy()}>
        <Copy className="size-5" aria-hidden />
        {m.copy_text()}
      </Button>
    </div>
  );
}

function Gone({ onReset }: { onReset(): void }) {
  return (
    <>
      <p className="text-text-2">{m.key_on_device()}</p>
      <Button className="btn btn-ghost w-full mt-5" onClick={onReset}>
        <RotateCcw className="size-5" aria-hidden />
        {m.reset_for_new_file()}
      </Button>
    </>
  );
}

import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { Copy, Download, RotateCcw, TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { PlaceName } from '../../../components/place-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { filenameOf, isOnDeviceOnly, saveFile } from './config-file.ts';
import type { Issued } from './open-dialog.ts';
import { PanelSheet } from './panel-sheet.tsx';

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
  const stored = useQuery({ ...configFileQuery(config.id), enabled: !issued && !isGone });
  const file = issued?.file ?? stored.data;
  return (
    <PanelSheet
      title={<bdi>{config.name}</bdi>}
      description={
        <>
          <PlaceName place={config.server.location} /> · <ProtocolName protocol={config.protocol} />
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
      {file !== undefined && (
        <>
          <FileButtons file={file} filename={issued?.filename ?? filenameOf(config)} />
          <Guide config={config} />
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

function FileButtons({ file, filename }: { file: string; filename: string }) {
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
      <Button className="btn btn-primary flex-1" onClick={() => saveFile(filename, file)}>
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

function Guide({ config }: { config: Config }) {
  const app = { wireguard: 'WireGuard', openvpn: 'OpenVPN Connect', ikev2: 'IKEv2' }[config.protocol];
  const steps = [
    <>
      {m.guide_install()} <bdi dir="ltr">{app}</bdi> {m.guide_install_end()}
    </>,
    config.protocol === 'wireguard' ? m.guide_scan() : m.guide_import(),
    m.guide_switch_on(),
  ];
  return (
    <ol className="grid gap-2.5 mt-6 text-sm text-text-2">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list of three
        <li key={index} className="flex items-start gap-3">
          <span
            className="grid place-items-center size-6 shrink-0 rounded-full bg-accent-soft text-accent text-xs font-bold"
            aria-hidden
          >
            {number(index + 1)}
          </span>
          <span>{step}</span>
        </li>
      ))}
    </ol>
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

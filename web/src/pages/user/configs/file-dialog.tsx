import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, QrCode as QrIcon, RotateCcw, TriangleAlert } from 'lucide-react';
import { useRef } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { filenameOf, isOnDeviceOnly } from './config-file.ts';
import { DeviceGuide } from './device-guide.tsx';
import { isOwnPhone, type System } from './device-system.ts';
import { DidItConnect } from './did-it-connect.tsx';
import { FileButtons } from './file-buttons.tsx';
import { FileCode } from './file-code.tsx';
import { Ikev2Profiles } from './ikev2-profiles.tsx';
import type { Issued } from './open-dialog.ts';
import { OpenconnectWay } from './openconnect-way.tsx';
import { OtherWays } from './other-ways.tsx';
import { ProxyWay } from './proxy-way.tsx';

interface FileDialogProps {
  config: Config;
  issued: Issued | undefined;
  /** Whose guide is open at first; otherwise that of the system at hand. */
  system?: System | undefined;
  onClose(): void;
  onReset(): void;
}

/** How a config gets onto a device. A desk shows the code for the phone beside it; on the phone itself the file leads. */
export function FileDialog({ config, issued, system, onClose, onReset }: FileDialogProps) {
  const isGone = !issued && isOnDeviceOnly(config);
  const isIkev2 = config.protocol === 'ikev2';
  // A certificate does not fit into a code that a camera can read.
  const hasCode = config.protocol === 'wireguard' && !isGone;
  const showsCode = hasCode && !isOwnPhone();
  const stored = useQuery({ ...configFileQuery(config.id), enabled: !issued && !isGone && !isIkev2 });
  // The button that made the config may be gone once it is made.
  const opener = useRef(document.activeElement).current;
  const hasOpener = () => opener !== null && opener !== document.body && opener.isConnected;
  const file = issued?.file ?? stored.data;
  const filename = issued?.filename ?? filenameOf(config);
  return (
    <PanelSheet
      title={<bdi>{config.name}</bdi>}
      description={
        <>
          <LocationName location={config.server.location} /> · <ProtocolName protocol={config.protocol} />
        </>
      }
      night={showsCode ? <FileCode config={config} file={file} /> : undefined}
      finalFocus={() => (hasOpener() ? true : document.getElementById('main'))}
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
      {isIkev2 && !isGone && <Ikev2Profiles config={config} system={system} />}
      {file !== undefined && !isIkev2 && (
        <DeviceGuide
          protocol={config.protocol}
          filename={filename}
          system={system}
          hasCode={showsCode}
          file={(_, isStep) => <FileButtons config={config} file={file} filename={filename} isMain={isStep} />}
        />
      )}
      {hasCode && file !== undefined && <OtherWays config={config} file={file} showsCode={showsCode} />}
      {config.protocol === 'openvpn' && file !== undefined && (
        <>
          <OpenconnectWay config={config} file={file} />
          <ProxyWay config={config} file={file} />
        </>
      )}
      {!isGone && <DidItConnect transport={config.protocol} />}
      {hasCode && !showsCode && file !== undefined && <CodeForAnother config={config} file={file} />}
    </PanelSheet>
  );
}

/** Folded: who holds this phone cannot scan it, but may set up another device with it. */
function CodeForAnother({ config, file }: { config: Config; file: string }) {
  return (
    <details className="group mt-6 border-t border-line pt-2">
      <summary className="flex items-center gap-3 min-h-12 font-semibold cursor-pointer list-none [&::-webkit-details-marker]:hidden">
        <QrIcon className="size-5 text-text-3" aria-hidden />
        {m.code_for_another()}
        <ChevronDown className="size-5 ms-auto text-text-3 group-open:rotate-180" aria-hidden />
      </summary>
      <div className="night rounded-lg p-4">
        <FileCode config={config} file={file} />
      </div>
    </details>
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

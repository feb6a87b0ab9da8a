import type { Config } from '@raha/contract/public/configs.ts';
import { m } from '../../../text/generated/messages.js';
import { DidItConnect } from './did-it-connect.tsx';
import { FileButtons } from './file-buttons.tsx';
import {
  addressOf,
  type Openconnect,
  openconnectCommand,
  openconnectFile,
  openconnectFilename,
} from './openconnect-file.ts';
import { OtherWay } from './other-ways.tsx';

/** The further way of an OpenVPN config, while its server serves it. Folded, below the usual file. */
export function OpenconnectWay({ config, file }: { config: Config; file: string }) {
  const { openconnect } = config.server;
  return openconnect && <OtherWay>{() => <Way config={config} file={file} openconnect={openconnect} />}</OtherWay>;
}

function Way({ config, file, openconnect }: { config: Config; file: string; openconnect: Openconnect }) {
  const filename = openconnectFilename(config);
  const own = openconnectFile(file, openconnect, filename);
  if (own === undefined) return null;
  return (
    <div className="grid gap-4">
      <p className="text-sm text-text-2">{m.openconnect_text()}</p>
      <FileButtons config={config} file={own} filename={filename} isMain={false} />
      <p className="text-sm text-text-2">
        {m.openconnect_linux()}
        <Code>{openconnectCommand(openconnect, filename)}</Code>
      </p>
      <p className="text-sm text-text-2">
        {m.openconnect_apps()}
        <Code>{addressOf(openconnect)}</Code>
      </p>
      <DidItConnect transport="openconnect" />
    </div>
  );
}

function Code({ children }: { children: string }) {
  return (
    <code
      dir="ltr"
      className="block mt-1.5 rounded-sm bg-surface-2 px-3 py-2 font-code text-xs [overflow-wrap:anywhere]"
    >
      {children}
    </code>
  );
}

import type { Config } from '@raha/contract/public/configs.ts';
import { ChevronDown, Route } from 'lucide-react';
import { useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { FileButtons } from './file-buttons.tsx';
import { FileCode } from './file-code.tsx';
import { portOf, variantName, withPort } from './wireguard-variants.ts';

interface OtherWaysProps {
  readonly config: Config;
  /** The usual file. */
  readonly file: string;
  /** Whether another device can scan a code from this screen. */
  readonly showsCode: boolean;
}

/** For a network that blocks the usual way. Folded, below it: most people never need this. */
export function OtherWays({ config, file, showsCode }: OtherWaysProps) {
  const usual = portOf(file);
  const others = config.server.otherPorts ?? [];
  const [port, setPort] = useState(others[0] ?? usual);
  if (usual === undefined || port === undefined || others.length === 0) return null;
  const variant = withPort(file, port);
  return (
    <details className="group mt-6 border-t border-line pt-2">
      <summary className="flex items-center gap-3 min-h-12 font-semibold cursor-pointer list-none [&::-webkit-details-marker]:hidden">
        <Route className="size-5 shrink-0 text-text-3" aria-hidden />
        {m.other_way()}
        <ChevronDown className="size-5 shrink-0 ms-auto text-text-3 group-open:rotate-180" aria-hidden />
      </summary>
      <p className="text-sm text-text-2 mb-4">{m.other_way_text()}</p>
      <Ports ports={[...others, usual]} usual={usual} value={port} onChange={setPort} />
      <div className="mt-4">
        <FileButtons config={config} file={variant} filename={variantName(config, port)} isMain={false} />
      </div>
      {showsCode && (
        <div className="night rounded-lg p-4 mt-4">
          <FileCode config={config} file={variant} />
        </div>
      )}
    </details>
  );
}

interface PortsProps {
  readonly ports: readonly number[];
  readonly usual: number;
  readonly value: number;
  onChange(port: number): void;
}

function Ports({ ports, usual, value, onChange }: PortsProps) {
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{m.other_way_port()}</legend>
      <div className="flex flex-wrap gap-2">
        {ports.map((port) => (
          <label
            key={port}
            className="grid place-items-center min-h-11 px-3.5 rounded-md text-sm font-semibold cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="port"
              className="sr-only"
              checked={port === value}
              onChange={() => onChange(port)}
            />
            <span>
              <bdi dir="ltr">{port}</bdi>
              {port === usual && <span className="font-medium text-text-3"> {m.other_way_usual()}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

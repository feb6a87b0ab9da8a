import type { Config } from '@raha/contract/public/configs.ts';
import { ChevronDown, Route } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { DidItConnect } from './did-it-connect.tsx';
import { FileButtons } from './file-buttons.tsx';
import { FileCode } from './file-code.tsx';
import { forAmnezia, portOf, variantName, type WireguardApp, withPort } from './wireguard-variants.ts';

interface OtherWaysProps {
  readonly config: Config;
  /** The usual file. */
  readonly file: string;
  /** Whether another device can scan a code from this screen. */
  readonly showsCode: boolean;
}

const apps: readonly WireguardApp[] = ['WireGuard', 'AmneziaWG'];

/** Other files of a WireGuard config. */
export function OtherWays(props: OtherWaysProps) {
  return <OtherWay>{() => <Ways {...props} />}</OtherWay>;
}

/** For a network that blocks the usual way. Folded, below it: most people never need this. Named where there are several. */
export function OtherWay({ name = m.other_way(), children }: { name?: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="group mt-6 border-t border-line pt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex items-center gap-3 min-h-12 font-semibold cursor-pointer list-none [&::-webkit-details-marker]:hidden">
        <Route className="size-5 shrink-0 text-text-3" aria-hidden />
        {name}
        <ChevronDown className="size-5 shrink-0 ms-auto text-text-3 group-open:rotate-180" aria-hidden />
      </summary>
      {isOpen && children()}
    </details>
  );
}

function Ways({ config, file, showsCode }: OtherWaysProps) {
  const usual = portOf(file);
  const others = config.server.otherPorts ?? [];
  // What differs from the usual file by one step.
  const [app, setApp] = useState<WireguardApp>(others.length > 0 ? 'WireGuard' : 'AmneziaWG');
  const [port, setPort] = useState(others[0] ?? usual);
  if (usual === undefined || port === undefined) return null;
  const moved = withPort(file, port);
  const variant = app === 'AmneziaWG' ? forAmnezia(moved) : moved;
  return (
    <>
      <p className="text-sm text-text-2 mb-4">{m.other_way_text()}</p>
      <div className="grid gap-4">
        {others.length > 0 && (
          <Choices<number> label={m.other_way_port()} choices={[...others, usual]} value={port} onChange={setPort}>
            {(choice) => choice === usual && <span className="font-medium text-text-3"> {m.other_way_usual()}</span>}
          </Choices>
        )}
        <Choices<WireguardApp> label={m.other_way_app()} choices={apps} value={app} onChange={setApp} />
        {app === 'AmneziaWG' && <p className="text-sm text-text-2">{m.other_way_amnezia()}</p>}
        <FileButtons config={config} file={variant} filename={variantName(config, port, app)} isMain={false} />
      </div>
      {showsCode && (
        <div className="night rounded-lg p-4 mt-4">
          <FileCode config={config} file={variant} />
        </div>
      )}
      {port !== usual && <DidItConnect key={port} transport="wireguard" port={port} />}
    </>
  );
}

interface ChoicesProps<T extends string | number> {
  readonly label: string;
  readonly choices: readonly T[];
  readonly value: T;
  onChange(choice: T): void;
  /** What stands beside a choice. */
  children?: (choice: T) => ReactNode;
}

function Choices<T extends string | number>({ label, choices, value, onChange, children }: ChoicesProps<T>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {choices.map((choice) => (
          // Relative: the hidden input is placed by it. By the dialog, its focus would scroll what must not scroll.
          <label
            key={choice}
            className="relative grid place-items-center min-h-11 px-3.5 rounded-md text-sm font-semibold cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            <span>
              <bdi dir="ltr">{choice}</bdi>
              {children?.(choice)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

import type { Protocol } from '@raha/contract/protocols.ts';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { m } from '../../../text/generated/messages.js';

interface ProtocolChoiceProps {
  offered: readonly Protocol[];
  value: Protocol;
  onChange(protocol: Protocol): void;
}

/** Only what the chosen server offers. */
export function ProtocolChoice({ offered, value, onChange }: ProtocolChoiceProps) {
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{m.protocol()}</legend>
      <div className="flex flex-wrap gap-2">
        {offered.map((protocol) => (
          <label
            key={protocol}
            className="relative flex-1 min-w-28 grid place-items-center min-h-12 px-3 rounded-md font-semibold cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="protocol"
              className="sr-only"
              checked={protocol === value}
              onChange={() => onChange(protocol)}
            />
            <ProtocolName protocol={protocol} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

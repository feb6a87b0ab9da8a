import { useEffect, useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { canMakeKeys } from './wireguard-keys.ts';

/** Where the private key lives: kept for later QR codes (default), or on this device and nowhere else. */
export function KeyChoice({ deviceOnly, onChange }: { deviceOnly: boolean; onChange(deviceOnly: boolean): void }) {
  const [isPossible, setPossible] = useState(true);
  useEffect(() => {
    let isCurrent = true;
    void canMakeKeys().then((can) => isCurrent && setPossible(can));
    return () => {
      isCurrent = false;
    };
  }, []);
  const choices = [
    { value: false, label: m.key_kept(), text: m.key_kept_text(), disabled: false },
    {
      value: true,
      label: m.key_device(),
      text: isPossible ? m.key_device_text() : m.key_device_impossible(),
      disabled: !isPossible,
    },
  ];
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{m.key_legend()}</legend>
      <div className="grid sm:grid-cols-2 gap-2">
        {choices.map(({ value, label, text, disabled }) => (
          <label
            key={label}
            className={`relative rounded-md px-3.5 py-3 shadow-[inset_0_0_0_1px_var(--line)] has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 ${disabled ? 'cursor-not-allowed' : 'cursor-pointer hover:bg-surface-2'}`}
          >
            <input
              type="radio"
              name="key"
              className="sr-only"
              checked={deviceOnly === value}
              disabled={disabled}
              onChange={() => onChange(value)}
            />
            <span className={`block font-semibold ${disabled ? 'text-text-3' : ''}`}>{label}</span>
            <span className="block text-xs text-text-2 mt-0.5">{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

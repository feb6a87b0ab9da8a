import type { ComponentProps } from 'react';
import { m } from '../../../text/generated/messages.js';
import { TextField } from '../../../ui/text-field.tsx';

/** An address as every screen for visitors asks for it: left to right, kept as typed until it is sent. */
export function EmailField(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  return (
    <TextField
      autoComplete="email"
      {...props}
      label={m.email_label()}
      type="email"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
      dir="ltr"
      placeholder="name@example.com"
      className="text-start"
    />
  );
}

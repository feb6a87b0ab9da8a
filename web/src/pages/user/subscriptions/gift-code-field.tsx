import { type FocusEventHandler, type ReactNode, useLayoutEffect, useRef } from 'react';
import { m } from '../../../text/generated/messages.js';
import { TextField } from '../../../ui/text-field.tsx';
import { edit, type Typed } from './hyphen-caret.ts';

interface GiftCodeFieldProps {
  name: string;
  value: string;
  problem: string | undefined;
  hint: ReactNode;
  onBlur: FocusEventHandler<HTMLInputElement>;
  onText(code: string): void;
}

/** Writes the hyphens while the user types, anywhere in the code, without losing the caret. */
export function GiftCodeField({ name, value, problem, hint, onBlur, onText }: GiftCodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const state = useRef<Typed>({ text: value, caret: value.length, own: false });
  const isEdited = useRef(false);

  // A controlled input puts the caret at the end after every change that is not exactly what was typed.
  useLayoutEffect(() => {
    if (!isEdited.current) return;
    isEdited.current = false;
    input.current?.setSelectionRange(state.current.caret, state.current.caret);
  });

  return (
    <TextField
      ref={input}
      name={name}
      value={value}
      label={m.gift_label()}
      type="text"
      dir="ltr"
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      placeholder="ABCD-1234-EFGH-5678"
      className="font-code text-lg text-start"
      problem={problem}
      hint={hint}
      onBlur={onBlur}
      onSelect={({ currentTarget }) => {
        const caret = currentTarget.selectionEnd ?? value.length;
        if (!isEdited.current) state.current = { ...state.current, text: value, caret };
      }}
      onText={(text) => {
        state.current = edit(state.current, { text, caret: input.current?.selectionEnd ?? text.length });
        isEdited.current = true;
        onText(state.current.text);
      }}
    />
  );
}

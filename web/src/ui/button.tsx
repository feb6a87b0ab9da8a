import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** While true the button keeps its place and focus, but does nothing. */
  busy?: boolean;
  /** Input is missing: looks and is announced as disabled, but pressing it makes the form show what is missing. */
  isIncomplete?: boolean;
}

/** A button that stays focusable while it works, so that neither a double click nor the keyboard can send twice. */
export function Button({ busy = false, isIncomplete = false, type = 'button', onClick, ...button }: ButtonProps) {
  return (
    <button
      {...button}
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || isIncomplete || button['aria-disabled'] || undefined}
      onClick={(event) => {
        if (busy || button['aria-disabled']) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** While true the button keeps its place and focus, but does nothing. */
  busy?: boolean;
}

/** A button that stays focusable while it works, so that neither a double click nor the keyboard can send twice. */
export function Button({ busy = false, type = 'button', onClick, ...button }: ButtonProps) {
  return (
    <button
      {...button}
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || button['aria-disabled'] || undefined}
      onClick={(event) => {
        if (busy || button['aria-disabled']) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

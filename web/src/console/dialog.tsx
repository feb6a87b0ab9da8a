import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

/** The browser's own modal dialog: it keeps the focus, and Escape closes it. On a phone it is a sheet. */
export function Dialog({ title, children, onClose }: { title: string; children: ReactNode; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the browser's next key: what is typed must not reach the page below.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Focuses what had the focus before.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="c-dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

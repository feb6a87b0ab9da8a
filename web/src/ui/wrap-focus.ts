import type { KeyboardEvent } from 'react';

const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex]:not([tabindex="-1"])';

/**
 * Keeps Tab inside a dialog, at once. Base UI's guards do so one frame later, and until then a quick second press would
 * leave the dialog.
 */
export function wrapFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || event.altKey || event.ctrlKey || event.metaKey) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(STOPS)].filter(isStop);
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  const isOutside = document.activeElement === event.currentTarget && event.shiftKey;
  if (!to || (document.activeElement !== from && !isOutside)) return;
  event.preventDefault();
  to.focus();
}

/** In a radio group only the selected button takes part in tabbing. */
function isStop(element: HTMLElement): boolean {
  const isIdleRadio = element instanceof HTMLInputElement && element.type === 'radio' && !element.checked;
  return !isIdleRadio && element.checkVisibility();
}

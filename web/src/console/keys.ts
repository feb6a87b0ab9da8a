import { useEffect, useRef } from 'react';
import { goTo } from './path.ts';

/** By which the key finds the field. */
export const SEARCH_FIELD = 'people-search';

/** ⌘K or Ctrl K, wherever one is, also while typing. By key position, so Persian layouts work. */
export function usePaletteKey(open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.code !== 'KeyK' || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** The key of the slash: to the search for people, wherever one is. */
export function useSearchKey(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const find = (event: KeyboardEvent) => {
      const isSlash = event.code === 'Slash' && !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping();
      if (!isSlash || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      const field = document.getElementById(SEARCH_FIELD);
      if (field instanceof HTMLInputElement) field.select();
      // The screen of people focuses its field when it opens.
      else goTo('/admin/people');
    };
    addEventListener('keydown', find);
    return () => removeEventListener('keydown', find);
  }, [isOn]);
}

/** J and K, by key position: down and up the rows of the table, to the first thing in each that can be opened. */
export function useRowKeys(): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const step = { KeyJ: 1, KeyK: -1 }[event.code];
      if (!step || event.metaKey || event.ctrlKey || event.altKey || isTyping()) return;
      if (document.querySelector('dialog[open]')) return;
      const rows = [...document.querySelectorAll('tbody tr')];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      const next = rows[at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step];
      next?.querySelector<HTMLElement>('a, button')?.focus();
    };
    addEventListener('keydown', move);
    return () => removeEventListener('keydown', move);
  }, []);
}

/** Acts of a screen by key position, so Persian layouts work; never while typing, nor behind a dialog. */
export function useActKeys(acts: Readonly<Record<string, () => void>>): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || event.repeat || isTyping()) return;
      const found = document.querySelector('dialog[open]') ? undefined : latest.current[event.code];
      if (!found) return;
      event.preventDefault();
      found();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, []);
}

function isTyping(): boolean {
  return document.activeElement?.matches('input:not([type=checkbox]), textarea, select') ?? false;
}

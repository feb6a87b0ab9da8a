import type { Locale } from '@raha/contract/locale.ts';
import { currentLocale } from '../text/locale.ts';
import { writeCookie } from './cookies.ts';

/** Settings kept in this browser only. */
export interface LocalSettings {
  readonly language: Locale;
  readonly theme: 'dark' | 'light' | 'auto';
  readonly autoConnect: boolean;
}

const CONNECT = 'auto-connect';
const LANGUAGE_DAYS = 365;

export function readLocalSettings(): LocalSettings {
  const theme = read('theme');
  return {
    language: currentLocale(),
    theme: theme === 'dark' || theme === 'light' ? theme : 'auto',
    autoConnect: read(CONNECT) === 'on',
  };
}

export function writeAutoConnect(isOn: boolean): void {
  try {
    localStorage.setItem(CONNECT, isOn ? 'on' : 'off');
  } catch {
    // Storage may be forbidden; the setting then does not change.
  }
  settingsChanged();
}

/** One language per page load: changing it reloads the page. */
export function writeLanguage(language: LocalSettings['language']): void {
  writeCookie('locale', language, LANGUAGE_DAYS);
  location.reload();
}

/** Subscribes to changes made by this screen, by the header's button and by other tabs. */
export function watchLocalSettings(onChange: () => void): () => void {
  const root = new MutationObserver(onChange);
  root.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  addEventListener('storage', onChange);
  addEventListener(CHANGED, onChange);
  return () => {
    root.disconnect();
    removeEventListener('storage', onChange);
    removeEventListener(CHANGED, onChange);
  };
}

const CHANGED = 'raha-settings';

export function settingsChanged(): void {
  dispatchEvent(new Event(CHANGED));
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

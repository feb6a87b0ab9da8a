import { useSyncExternalStore } from 'react';

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

declare global {
  interface Window {
    /** The browser's offer, taken by the document's inline script (`scripts/early.inline.js`). */
    installPrompt?: InstallPrompt | undefined;
  }
}

/** How the panel gets onto the home screen here: by a button, by hand on an iPhone, or not at all, or it is there already. */
export function useInstallation(): 'button' | 'by-hand' | undefined {
  return useSyncExternalStore(watch, read);
}

/** Asks the browser to install; its offer holds once. */
export function install(): void {
  const offer = window.installPrompt;
  window.installPrompt = undefined;
  dispatchEvent(new Event(CHANGED));
  // Dismissed, it is offered again at the next visit.
  offer?.prompt().catch(() => undefined);
}

const CHANGED = 'raha-installation';
const events = [CHANGED, 'beforeinstallprompt', 'appinstalled'];

function read(): 'button' | 'by-hand' | undefined {
  if (matchMedia('(display-mode: standalone)').matches) return undefined;
  if (window.installPrompt) return 'button';
  // Only iOS has this property; it is true on the home screen.
  return (navigator as { standalone?: boolean }).standalone === false ? 'by-hand' : undefined;
}

function watch(onChange: () => void): () => void {
  for (const name of events) addEventListener(name, onChange);
  return () => {
    for (const name of events) removeEventListener(name, onChange);
  };
}

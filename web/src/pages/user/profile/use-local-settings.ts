import { useSyncExternalStore } from 'react';
import { type LocalSettings, readLocalSettings, watchLocalSettings } from '../../../api/local-settings.ts';

/** What this browser keeps, also when another tab or the header's button changes it. */
export function useLocalSettings(): LocalSettings {
  const text = useSyncExternalStore(watchLocalSettings, () => JSON.stringify(readLocalSettings()));
  return JSON.parse(text) as LocalSettings;
}

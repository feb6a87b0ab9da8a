import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { configWatched } from './signals.ts';

/** Which connections somebody is looking at now, in the memory of every process. What is forgotten is measured rarely, and that is all. */
export interface WatchedConfigs {
  /** A panel has asked for the figures of this config's connection. */
  note(configId: string): void;
  /** Which of these are watched. */
  among(configIds: readonly string[]): string[];
}

const WATCHED_MS = limits.connection.watchedSeconds * 1_000;

export function createWatchedConfigs({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }): WatchedConfigs {
  const notedAt = new Map<string, number>();
  const now = () => clock.now().getTime();
  bus.subscribe(configWatched, ({ configId }) => {
    // In the order of time, so the old ones come first.
    notedAt.delete(configId);
    notedAt.set(configId, now());
    for (const [id, at] of notedAt) {
      if (now() - at < WATCHED_MS) break;
      notedAt.delete(id);
    }
  });
  const ageMs = (configId: string) => now() - (notedAt.get(configId) ?? Number.NEGATIVE_INFINITY);
  return {
    note: (configId) => {
      if (ageMs(configId) >= WATCHED_MS / 2) bus.announceSoon(configWatched, { configId });
    },
    among: (configIds) => configIds.filter((id) => ageMs(id) < WATCHED_MS),
  };
}

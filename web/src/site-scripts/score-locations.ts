/** The scoring of the recommendation demonstration: specification 2, section 9. Pure; nothing here is measured. */
export type Priority = 'speed' | 'security' | 'distance';

export interface Scored {
  readonly latitude: number;
  readonly longitude: number;
  readonly pingMs: number;
  readonly premium: boolean;
}

/** The middle of Iran: where distances are counted from. */
const reference = { latitude: 32.43, longitude: 53.69 };
const premiumBonus = 0.2;
const returned = 3;

/** The three best places for a priority, best first; equal scores keep the order of the list. */
export function recommend<T extends Scored>(places: readonly T[], priority: Priority): T[] {
  return places
    .map((place) => ({ place, score: scoreOf(place, priority) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, returned)
    .map(({ place }) => place);
}

export function scoreOf(place: Scored, priority: Priority): number {
  const ping = Math.max(0, 100 - place.pingMs) / 100;
  const distance = Math.max(0, 1 - degreesFromIran(place) / 100);
  const bonus = place.premium ? premiumBonus : 0;
  if (priority === 'speed') return 0.6 * ping + 0.3 * distance + bonus;
  if (priority === 'security') return (place.premium ? 0.8 : 0.4) + 0.2 * ping + bonus;
  return 0.7 * distance + 0.2 * ping + bonus;
}

/**
 * The specification divides the distance by 100 and names no unit. Degrees on the map are the only one in which that
 * tells places apart: counted in kilometres, every place would score nothing.
 */
export function degreesFromIran({ latitude, longitude }: Pick<Scored, 'latitude' | 'longitude'>): number {
  return Math.hypot(latitude - reference.latitude, longitude - reference.longitude);
}

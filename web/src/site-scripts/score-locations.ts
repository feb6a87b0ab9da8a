/** The scoring of the recommendation demonstration: specification 2, section 9. Pure; nothing here is measured. */
export type Priority = 'speed' | 'security' | 'distance';

export interface Scored {
  readonly latitude: number;
  readonly longitude: number;
  readonly pingMs: number;
  readonly premium: boolean;
}

/** The middle of Iran, from which distances are measured. */
const reference = { latitude: 32.43, longitude: 53.69 };
const premiumBonus = 0.2;
const returned = 3;

/** The three best locations for a priority, best first; equal scores keep the order of the list. */
export function recommend<T extends Scored>(locations: readonly T[], priority: Priority): T[] {
  return locations
    .map((location) => ({ location, score: scoreOf(location, priority) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, returned)
    .map(({ location }) => location);
}

export function scoreOf(location: Scored, priority: Priority): number {
  const ping = Math.max(0, 100 - location.pingMs) / 100;
  const distance = Math.max(0, 1 - degreesFromIran(location) / 100);
  const bonus = location.premium ? premiumBonus : 0;
  if (priority === 'speed') return 0.6 * ping + 0.3 * distance + bonus;
  if (priority === 'security') return (location.premium ? 0.8 : 0.4) + 0.2 * ping + bonus;
  return 0.7 * distance + 0.2 * ping + bonus;
}

/**
 * The specification divides the distance by 100 and names no unit. Only in degrees does that tell locations apart: in
 * kilometres every location would score zero.
 */
export function degreesFromIran({ latitude, longitude }: Pick<Scored, 'latitude' | 'longitude'>): number {
  return Math.hypot(latitude - reference.latitude, longitude - reference.longitude);
}

import { staffLimits } from '@raha/contract/admin/limits.ts';

/** One of several versions of the same thing: it holds from a moment on, until the next one does. */
export interface Version {
  readonly id: string;
  readonly validFrom: Date;
  /** The same moment, if it was to hold at once. */
  readonly createdAt: Date;
}

const limits = staffLimits.prices;
const DAY_SECONDS = 86_400;

/**
 * Of versions that were not cancelled, the last moment first: the one in force, or undefined if there is none yet. What was to hold at
 * once holds for every process that has read it, also where the clock is behind.
 */
export function decideInForce<V extends Version>(versions: readonly V[], now: Date): V | undefined {
  return versions.find((version) => !isPlanned(version, now));
}

/** Of the same versions: the one whose moment is still to come. */
export function findPlanned<V extends Version>(versions: readonly V[], now: Date): V | undefined {
  return versions.findLast((version) => isPlanned(version, now));
}

export function isPlanned({ validFrom, createdAt }: Version, now: Date): boolean {
  return validFrom > createdAt && validFrom > now;
}

/**
 * From when on a change holds that is made now. Without `from` it holds at once: now, or just after the version in force if this clock
 * is behind the one that made it. A planned moment leaves every process the time to hear of it. Undefined: it is too near or too far.
 */
export function decideMoment(
  from: Date | undefined,
  now: Date,
  inForce: Pick<Version, 'validFrom'> | undefined,
): Date | undefined {
  if (from === undefined) {
    return inForce && inForce.validFrom >= now ? new Date(inForce.validFrom.getTime() + 1) : now;
  }
  const isNear = from < later(now, limits.planMinutes * 60) || (inForce && from <= inForce.validFrom);
  return isNear || from > later(now, limits.planDays * DAY_SECONDS) ? undefined : from;
}

/**
 * Whether a version can still be cancelled. In its last seconds it cannot: a process that hears of it late would have sold by it.
 */
export function isCancellable(version: Version, now: Date): boolean {
  return isPlanned(version, later(now, limits.cancelSeconds));
}

function later(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

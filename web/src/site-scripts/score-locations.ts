/**
 * The scoring of ARIA: specification 2, section 9, to which the usage adds its own weight. Pure; the demonstrations give it samples,
 * the panel what the servers have measured.
 */
export type Priority = 'speed' | 'security' | 'distance';
export type Usage = 'streaming' | 'gaming' | 'browsing' | 'torrenting';

/** What a score is made of. Room is a premium location in the demonstrations, and a server's free capacity in the panel. */
export interface Parts {
  readonly ping: number;
  readonly distance: number;
  readonly room: number;
}
export type Part = keyof Parts;

/** Of ping, distance and room; an array, because the landing page downloads it. */
type Weights = readonly [number, number, number];

/** The specification's weights; browsing asks for nothing more. */
const priorities: Readonly<Record<Priority, Weights>> = {
  speed: [0.6, 0.3, 0.2],
  security: [0.2, 0, 0.2],
  distance: [0.2, 0.7, 0.2],
};
/** A game waits for every reply; a film and a torrent need room, a torrent more of it. */
const usages: Readonly<Record<Usage, Weights>> = {
  browsing: [0, 0, 0],
  gaming: [0.4, 0, 0],
  streaming: [0, 0, 0.2],
  torrenting: [0, 0, 0.4],
};
const BASE_OF_SECURITY = 0.4;

/** What each part gives to the score. `figures` are shares between 0 and 1. */
export function weigh(figures: Parts, priority: Priority, usage: Usage): Parts {
  const weight = (index: 0 | 1 | 2) => priorities[priority][index] + usages[usage][index];
  return { ping: figures.ping * weight(0), distance: figures.distance * weight(1), room: figures.room * weight(2) };
}

export function scoreOf(parts: Parts, priority: Priority): number {
  return (priority === 'security' ? BASE_OF_SECURITY : 0) + parts.ping + parts.distance + parts.room;
}

/** The two parts that gave most, the greater first, without those that gave next to nothing. */
export function reasonsOf(parts: Parts): Part[] {
  return (Object.keys(parts) as Part[])
    .filter((part) => parts[part] >= 0.05)
    .sort((a, b) => parts[b] - parts[a])
    .slice(0, 2);
}

export function pingShare(pingMs: number): number {
  return Math.max(0, 100 - pingMs) / 100;
}

export function distanceShare(point: Point): number {
  return Math.max(0, 1 - degreesFromIran(point) / 100);
}

export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Sample extends Point {
  readonly pingMs: number;
  readonly premium: boolean;
}

const RETURNED = 3;
/** What the specification gives a premium location where security matters. */
const SAFER = 0.4;

/** The three best samples, best first, each with its reasons; equal scores keep the order of the list. */
export function recommend<T extends Sample>(
  samples: readonly T[],
  priority: Priority,
  usage: Usage,
): (T & { readonly reasons: Part[] })[] {
  return samples
    .map((sample) => ({ sample, parts: partsOf(sample, priority, usage) }))
    .sort((a, b) => scoreOf(b.parts, priority) - scoreOf(a.parts, priority))
    .slice(0, RETURNED)
    .map(({ sample, parts }) => ({ ...sample, reasons: reasonsOf(parts) }));
}

export function partsOf(sample: Sample, priority: Priority, usage: Usage): Parts {
  const { pingMs, premium } = sample;
  const figures = { ping: pingShare(pingMs), distance: distanceShare(sample), room: premium ? 1 : 0 };
  const parts = weigh(figures, priority, usage);
  return priority === 'security' && premium ? { ...parts, room: parts.room + SAFER } : parts;
}

/** The middle of Iran, from which distances are measured. */
const reference = { latitude: 32.43, longitude: 53.69 };

/**
 * The specification divides the distance by 100 and names no unit. Only in degrees does that tell locations apart: in
 * kilometres every location would score zero.
 */
export function degreesFromIran({ latitude, longitude }: Point): number {
  return Math.hypot(latitude - reference.latitude, longitude - reference.longitude);
}

/** How a reason reads: `because` holds `{reasons}`, each other text its figure `{n}`. */
export interface ReasonTexts extends Readonly<Record<Part, string>> {
  readonly because: string;
  readonly and: string;
}

/** One sentence from the figures that were used; empty if none of them gave anything. */
export function sayReasons(texts: ReasonTexts, reasons: readonly Part[], figureOf: (part: Part) => string): string {
  const phrases = reasons.map((part) => texts[part].replace('{n}', figureOf(part)));
  return phrases.length === 0 ? '' : texts.because.replace('{reasons}', phrases.join(texts.and));
}

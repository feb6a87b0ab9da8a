import { Refusal } from './refusal.ts';

/** Lets a few pieces of work run at a time. */
export interface FairQueue<Kind extends string> {
  /** Waits for a slot; the returned function gives it back. Refuses `unavailable` if the line of this kind is full. */
  enter(kind: Kind): Promise<() => void>;
}

/**
 * Each kind of work has a line of its own, and the lines are served in turn: a flood of one kind is shed without holding up
 * the others.
 */
export function createFairQueue<Kind extends string>(slots: number, lineLength: number): FairQueue<Kind> {
  let running = 0;
  /** In the order in which they are served next; the one served moves to the end. */
  const lines = new Map<Kind, (() => void)[]>();
  const takeNext = (): (() => void) | undefined => {
    for (const [kind, line] of lines) {
      const next = line.shift();
      lines.delete(kind);
      if (line.length > 0) lines.set(kind, line);
      if (next) return next;
    }
    return undefined;
  };
  const wait = (kind: Kind): Promise<void> => {
    const line = lines.get(kind) ?? [];
    if (line.length >= lineLength) throw new Refusal('unavailable', { retryAfterSeconds: 2 });
    lines.set(kind, line);
    return new Promise<void>((resolve) => line.push(resolve));
  };
  return {
    async enter(kind) {
      if (running < slots) running += 1;
      else await wait(kind);
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        const next = takeNext();
        // The slot passes directly to the next in line, so that a new request cannot overtake it.
        if (next) next();
        else running -= 1;
      };
    },
  };
}

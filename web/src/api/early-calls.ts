/** Calls that the document's inline script has made (`scripts/early.inline.js`). */
export interface EarlyCalls {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** By path; undefined: there was no answer. */
  readonly answers: Map<string, Promise<Response | undefined>>;
}

declare global {
  interface Window {
    earlyCalls?: EarlyCalls;
  }
}

/** Long enough for the program to arrive on a slow network; what is older may have changed. */
const USABLE_MS = 15_000;

/** The answer to a call that was made early with the same token; each is taken once. */
export function takeEarly(
  early: EarlyCalls | undefined,
  path: string,
  token: string | undefined,
  now: number,
): Promise<Response | undefined> | undefined {
  if (!early) return undefined;
  const answer = early.answers.get(path);
  early.answers.delete(path);
  return early.token === token && now - early.at < USABLE_MS ? answer : undefined;
}

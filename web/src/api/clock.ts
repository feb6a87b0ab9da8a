/** Time and chance: the one file of the browser's side that may ask for them. */
export function now(): number {
  return Date.now();
}

/** At least zero, less than one. */
export function chance(): number {
  return Math.random();
}

/** Time and randomness: the only file of the web that may read them. */
export function now(): number {
  return Date.now();
}

/** At least zero, less than one. */
export function chance(): number {
  return Math.random();
}

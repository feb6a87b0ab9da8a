/** Whether a version such as `2.10.1` is this one or newer. Its parts are integers: 2.10 is newer than 2.9. */
export function isVersionAtLeast(version: string | undefined, oldest: readonly [number, number]): boolean {
  const [major = Number.NaN, minor = Number.NaN] = (version ?? '').split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Whether a version as programs write them (`2.10.1`) is this one or newer; their parts are numbers, not decimals. */
export function isVersionAtLeast(version: string | undefined, oldest: readonly [number, number]): boolean {
  const [major = Number.NaN, minor = Number.NaN] = (version ?? '').split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

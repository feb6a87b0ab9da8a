/** Claims of the public pages until the operator changes them (settings `claims.*`). */
export const claimDefaults = {
  countries: 94,
  servers: 5000,
  monthlyPriceToman: 99_000,
  /** The monthly price of competitors. */
  othersFromToman: 120_000,
  othersToToman: 180_000,
  devices: 10,
  /** Out of five. */
  rating: 4.9,
  /** The regular price of the package that is free with a registration. */
  packageToman: 29_000,
} as const;

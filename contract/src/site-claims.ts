/**
 * The specification's figures for the public pages. Outside production they stand where the operator has stated nothing,
 * each marked as a sample; in production they are never shown.
 */
export const sampleClaims = {
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

export type ClaimName = keyof typeof sampleClaims;

/** A value of a claim that is not a statement: what the installation knows, a sample, or nothing. */
export const automaticClaim = 'auto';

/** A figure of the public pages. `value` is null where nobody states it and the installation does not know it. */
export interface Claim {
  readonly value: number | null;
  readonly isSample: boolean;
}

/** What the operator stated; else, in production, what the installation knows; else the marked sample. */
export function decideClaim(
  name: ClaimName,
  stated: number | typeof automaticClaim,
  { known, isProduction }: { readonly known: number | undefined; readonly isProduction: boolean },
): Claim {
  if (stated !== automaticClaim) return { value: stated, isSample: false };
  return isProduction ? { value: known ?? null, isSample: false } : { value: sampleClaims[name], isSample: true };
}

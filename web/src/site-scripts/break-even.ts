interface PlanPrice {
  /** Toman. */
  readonly price: number;
  /** Bytes; null: unlimited. */
  readonly trafficLimit: number | null;
}

/**
 * From how many gigabytes (10⁹ bytes) in its period a plan costs less than paying for each gigabyte. Undefined if it never
 * does, because its traffic ends before.
 */
export function cheaperFromGb({ price, trafficLimit }: PlanPrice, tomanPerGb: number): number | undefined {
  if (tomanPerGb <= 0) return undefined;
  const from = Math.floor(price / tomanPerGb) + 1;
  return trafficLimit !== null && from * 1e9 > trafficLimit ? undefined : from;
}

/** Where the dollar rate comes from. The operator's fixed rate now; market sources plug in behind the same port. */
export interface RateSource {
  /** Toman per US dollar and when it was taken; undefined when there is no current rate. */
  current(): Promise<Rate | undefined>;
}

export interface Rate {
  readonly tomanPerUsd: number;
  readonly takenAt: Date;
}

/** The operator's own rate (`USD_RATE_TOMAN`): always current, taken when the process started. */
export function fixedRate(tomanPerUsd: number | undefined, startedAt: Date): RateSource {
  return { current: async () => (tomanPerUsd === undefined ? undefined : { tomanPerUsd, takenAt: startedAt }) };
}

/** Delays, intervals and thresholds of the screens, as the specifications give them. */
export const screen = {
  activation: { redirectAfterSuccessMs: 2_000, autoSubmitMs: 1_500, returnMessageMs: 10_000 },
  store: { redirectDelayMs: 1_000, lockReleaseMs: 3_000, requestTimeoutMs: 15_000 },
  metricsPollMs: 5_000,
  balanceRefreshMs: 30_000,
  phoneVerifiedResetMs: 2_000,
  /** The bell shows '+' beyond this. */
  unreadBadgeMax: 9,
  /** Ages up to this are shown in days, older ones as a date. */
  relativeDays: 7,
  /** Daily traffic from which a bar of the usage chart is drawn as high or medium. */
  usage: { highGb: 20, mediumGb: 10 },
  guard: { delayMs: 150, debounceMs: 500, breakerAttempts: 3, breakerResetMs: 15_000, lockMs: 2_000 },
  logoutRedirectMs: 100,
  demo: { slideMs: 6_000, connectMs: 2_000, analysisMs: 2_000, primaryLocations: 8, recommendations: 3 },
} as const;

/** Times of the console. Apart from `limits.ts`, so that none of it is in the panel. */
export const staffLimits = {
  /** How long a member without a factor may set up the first one, after being added or after their factors were reset. */
  enrolHours: 24,
  session: { hours: 12, idleMinutes: 30 },
  /** How long a factor counts as a fresh proof. */
  proofMinutes: 15,
  /** Entries of a page of the audit: usually, and at most. */
  audit: { page: 50, most: 100 },
  reason: { min: 3, max: 500 },
} as const;

/** Times of the console. Apart from `limits.ts`, so that none of it is in the panel. */
export const staffLimits = {
  /** How long a member without a factor may set up the first one, after being added or after their factors were reset. */
  enrolHours: 24,
  session: { hours: 12, idleMinutes: 30 },
  /** How long a factor counts as a fresh proof. */
  proofMinutes: 15,
  /** For acts that move money. */
  moneyProofMinutes: 5,
  /** Of a correction, in toman, either way. */
  adjustMost: 1_000_000_000,
  proposals: { most: 100 },
  /** Entries of a page of the audit: usually, and at most. */
  audit: { page: 50, most: 100 },
  people: { page: 25, most: 50, query: { min: 3, max: 254 }, searchesPerMinute: 60, timeline: 40, connections: 50 },
  /** Of a page. */
  deliveries: { page: 25 },
  /**
   * Users of one bulk at most, and of those chosen one by one; bulks of a page, users of a page; seconds until it begins; by how much of a
   * hundred more may fit the filter than were shown; letters of what users are told.
   */
  bulk: { most: 10_000, picked: 500, listed: 25, page: 50, planSeconds: 120, morePercent: 1, message: 200 },
  /** Payments of a page; those of an exported file at most; open refunds in one answer. */
  payments: { page: 25, exported: 20_000, refunds: 100, asksPerMinute: 30 },
  /** Days of one report at most; reports that a member reads, and files that they take, in a minute. */
  reports: { days: 366, perMinute: 60, filesPerMinute: 6 },
  /** Bytes of a settlement file, payouts in one answer, differences of a page. */
  settlements: { fileBytes: 4 * 1024 * 1024, payouts: 50, page: 50 },
  /** Of each kind on the first screen. */
  today: { most: 20 },
  /**
   * Of a plan: `listed` versions in one answer, and what each of its terms is at most; a gigabyte has 10⁹ bytes.
   */
  plans: {
    listed: 20,
    mostToman: 1_000_000_000,
    mostDays: 3_660,
    mostGb: 1_000_000,
    mostDevices: 1_000,
    mostPosition: 1_000,
    name: 40,
  },
  /**
   * A planned price, of a gigabyte or a plan, begins at least so many minutes and at most so many days from now, and can be cancelled
   * until so many seconds before. `listed`: versions in one answer.
   */
  prices: { planMinutes: 2, planDays: 366, cancelSeconds: 10, listed: 100 },
  /** Batches of a page, cards of a page; what one batch may be, as at the command line; codes that a member checks in a minute. */
  cards: {
    batches: 25,
    page: 50,
    most: 10_000,
    mostUsdCents: 1_000_000,
    noteMost: 200,
    days: 3_660,
    checksPerMinute: 10,
  },
  /** Changes of a setting in one answer. */
  settings: { page: 20 },
  /** A member's looks at one user within this time are one entry of the audit. */
  lookMinutes: 60,
  /** Of programs: days at most, the length of a name, calls of one token, and how many are listed. */
  tokens: { daysMost: 366, nameMost: 60, callsPerMinute: 60, listed: 200 },
  /** Of one member within an hour; how long the server waits for the answer of a node. */
  traces: { perHour: 2, waitSeconds: 10 },
  reason: { min: 3, max: 500 },
} as const;

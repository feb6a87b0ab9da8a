/**
 * The rules of both specifications that server and client share, each figure once, with its unit in the name. Settings
 * that an operator may change take their default from here. Timings of the screens are in `screen-timings.ts`.
 */
export const limits = {
  verificationCode: {
    digits: 6,
    lifetimeSeconds: 600,
    attemptsPerChallenge: 5,
    resendAfterSeconds: 60,
    firstResendCountdownSeconds: 300,
    perAddressPerHour: 5,
    perAddressPerDay: 10,
    /** Loose: thousands of people share one network address. */
    perNetworkPerHour: 6_000,
    /** Wrong codes of unknown browsers from one network, before those of that network are refused for the hour. */
    wrongPerNetworkPerHour: 150,
    /** Wrong codes of unknown browsers on the whole site, from which unknown browsers get `longDigits`. */
    longFromWrongPerHour: 100,
    longDigits: 8,
    /** The same, from which unknown browsers get no codes: an attack that eight digits do not discourage. */
    pauseFromWrongPerHour: 10_000,
    pauseSeconds: 600,
  },
  session: {
    accessTokenSeconds: 15 * 60,
    passwordDays: 1,
    rememberMeDays: 30,
    passwordlessDays: 7,
    temporaryTokenDays: 0.25,
    /** A refresh token presented again this soon gets the token that already replaced it, not a theft alarm. */
    refreshGraceSeconds: 10,
  },
  /** Free days and, inside them, free traffic at most, in gigabytes of 10⁹ bytes. */
  trial: { passwordRegistrationDays: 7, passwordlessDays: 14, gb: 10 },
  name: { min: 2, max: 80 },
  email: { max: 254 },
  password: {
    min: 8,
    max: 128,
    strengthThreshold: 75,
    /** Wrong passwords per address before it waits; a code by mail works all the while. */
    failuresPerWindow: 10,
    windowMinutes: 15,
    /** Wrong passwords of unknown browsers from one network, before it waits for the rest of the hour. */
    wrongPerNetworkPerHour: 150,
    /** The same on the whole site, before unknown browsers sign in by code or passkey only. */
    pauseFromWrongPerHour: 10_000,
    resetMinutes: 15,
  },
  factors: {
    passkeysPerUser: 10,
    nameMax: 40,
    recoveryCodes: 10,
    /** Wrong factors (codes of an app, recovery codes) per account and requester. */
    failuresPerWindow: 5,
    windowMinutes: 15,
    failuresPerDay: 20,
    /** How long options of a passkey, a pending sign-in and a secret that no code has confirmed are valid. */
    passkeyChallengeSeconds: 300,
    pendingSignInSeconds: 600,
    totpSetupSeconds: 600,
  },
  /** "Taken" answers of registration per network and hour; after that, free and taken addresses are answered by mail. */
  registrationTakenPerHour: 20,
  /** Calls of each kind around signing in from a browser that has signed in before; the limits of networks do not apply to it. */
  knownBrowserCallsPerMinute: 60,
  charge: {
    minToman: 10_000,
    /** A bank's own ceiling: 1,000,000,000 rial. */
    maxToman: 100_000_000,
    presetsToman: [50_000, 100_000, 200_000, 500_000],
  },
  page: { size: 15, notifications: 20, max: 100 },
  notifications: {
    /** Shares of the balance after the last top-up at which a user is notified that it is low. */
    lowBalancePercents: [20, 5],
    /** Or when it lasts at most so many hours more at the pace of the last day. */
    lowBalanceHours: 8,
    /** The dashboard says so earlier. */
    shownLowHours: 24,
  },
  giftCard: {
    minLength: 8,
    maxLength: 24,
    minLengthWithoutHyphen: 12,
    fakes: ['TEST1234', 'DEMO1234', 'SAMPLE12', 'GIFT1234', 'TEST-1234', 'DEMO-1234'],
    attemptsPerAccountPerHour: 10,
    /** `current_price` of the client may differ from the server's rate by this much, in percent. */
    rateTolerancePercent: 2,
    stores: ['card2gift', 'cardplus'],
  },
  store: {
    sameStoreCooldownMs: 10_000,
    retryAfterSeconds: 20,
    /** How long the signed address of a store is valid; it works once. */
    addressLifetimeSeconds: 600,
    visitsPerHour: 30,
  },
  exchangeRate: {
    refreshMs: 60_000,
    /** Shown, marked as not current, only while the server gives no rate. */
    activationFallbackToman: 540_000,
    otherFallbackToman: 82_250,
    /** Timeout of a source. */
    sourceTimeoutMs: 5_000,
    /** A source's own time stamp may be this old. */
    sourceFreshMinutes: 10,
    /** How many sources must respond, and how many must agree, before their median is accepted as a rate. */
    sourcesAsked: 3,
    sourcesAgreeing: 2,
    /** A source further from the median than this is left out. */
    outlierPercent: 8,
    /** A rate further from the last one than this waits until it has held for `jumpHoldMinutes`. */
    jumpPercent: 10,
    jumpHoldMinutes: 5,
    /** Readings of one held jump may differ by this much. */
    jumpAgreePercent: 2,
    /** The last good rate serves this long when its sources are silent. */
    keepMinutes: 15,
    convertMaxUsd: 1_000_000,
  },
  config: { nameMax: 40, perUser: 20 },
  /** A config shared with somebody without an account. */
  family: {
    nameMax: 40,
    /** Gigabytes of a month. */
    maxGb: 1_000,
    usualGb: 20,
    /** How long a link can be opened, and for how long the browser that opened it may come back. */
    linkDays: 7,
    shownSeconds: 86_400,
    linksPerMinute: 10,
    /** Loose: the token cannot be guessed, and thousands share one address. */
    callsPerNetworkPerHour: 2_000,
  },
  connection: {
    /** A tunnel is live while its last sign of life is younger: of WireGuard the handshake, whose reject-after time this is. */
    handshakeFreshSeconds: 180,
    pingDefaultMs: 45,
    /** A connection is watched for so long after a panel asked for its figures; other processes hear of it once in half that time. */
    watchedSeconds: 60,
    /** How long the measured round trip of a server counts as current. */
    pingFreshMinutes: 60,
  },
  price: { usdCentsPerGb: 3, mostUsdCentsPerGb: 100_000 },
  lease: {
    /** The lease of a new or idle config; renewed at 200 MB. */
    idleBytes: 240_000_000,
    minBytes: 1_000_000,
    /** What a device needs to be of use: money and leases that are less are called nothing. */
    usableBytes: 8_000_000,
    /**
     * A lease with less than this left counts as used up: segment offload hands the kernel packets of up to 64 KiB, and
     * the first one that does not fit is dropped.
     */
    exhaustedBelowBytes: 65_536,
    /** The horizon at a gigabit per second. */
    maxBytes: 300_000_000_000,
    /** What a lease is raised to at most without a report of its node, whose leases are held against its link. */
    maxUnreportedBytes: 4_000_000_000,
    /**
     * A lease covers this much time at its config's rate and is renewed when it covers no more than the second: a node goes on without
     * the control plane for half an hour, and the rate is an estimate (decision 95).
     */
    horizonSeconds: 2_400,
    renewalSeconds: 2_000,
    /** The rate is a mean over about this time. */
    rateSeconds: 120,
    /** Where money is short, more is asked for once less than this share of the last grant is left. */
    refillBelow: 0.5,
    /** A device in use keeps this much time at its rate, at least the second, when another one of its owner has nothing. */
    sharedSeconds: 60,
    sharedBytes: 16_000_000,
    /** A lease with more than twice the idle amount left is taken back to it after this long without traffic. */
    reclaimIdleSeconds: 600,
  },
  metering: {
    /** Whether a config's use has made the balance low is asked once per this many reports of its node: about once a minute. */
    reportsPerBalanceCheck: 16,
    /** How many configs one transfer books, and how many transfers one run of the schedule makes. */
    configsPerBooking: 1_000,
    bookingsPerRun: 2,
  },
  node: {
    samplePeriodMs: 2_000,
    reportPeriodMs: 4_000,
    longPollSeconds: 25,
    enrolmentTokenMinutes: 15,
    offlineAfterSeconds: 15,
    /** A config that its node applies later than this after it was made is announced: the dialog may be closed by then. */
    longWaitSeconds: 60,
    maxSamplesPerReport: 2_000,
    reportBytes: 1_000_000,
    /** What a node can have counted for one config and direction in one epoch: a petabyte, 3 Gbit/s for a month. */
    maxTotalBytes: 2 ** 50,
    addressesPerNode: 65_000,
    /** Hosts that stay reachable when a config's quota is exceeded: panel and banks. */
    maxWalledGardenHosts: 64,
    /** Ports at which WireGuard is accepted beside its own. */
    maxWireguardPorts: 16,
    /** The greatest limit that a plan may set to the speed of a device, in Mbit/s. */
    maxMbit: 10_000,
    /** Connections and what resembles one in UDP, per config: open at once, begun per second, and begun at once. */
    flows: { open: 4_096, perSecond: 100, burst: 1_000 },
  },
  /** Machines that forward to one node (decision 109). */
  relay: {
    perNode: 16,
    /** UDP port at which a node hears what it sent itself through its relays. */
    probePort: 24_443,
    /** How often it tries each, and how long it waits for the answer. */
    probeMs: 15_000,
    probeWaitMs: 3_000,
    /** A relay through which nothing has come for so long, while its node was trying, is away. */
    awayAfterSeconds: 45,
  },
  /** How often devices of an operator's network get through, by hour and way. Nothing smaller is kept (decision 106). */
  reach: {
    /** What a node counts leaves it in multiples of this, once per period. */
    step: 5,
    periodMs: 600_000,
    /** Attempts of an hour that must have come together, at so many servers, or beside so many answers from panels. */
    minAttempts: 50,
    minNodes: 2,
    /** By entry they are counted in so many minutes, and kept for so many hours (decision 132). */
    slotMinutes: 10,
    slotsKeptHours: 2,
    /** Answers "did it connect?" of an hour that must have come together. */
    minAnswers: 10,
    /** A figure is shown for so long. */
    shownHours: 24,
    /** Hours older than this become days. */
    hourDays: 14,
    answersPerMinute: 10,
    maxNetworks: 64,
    maxRanges: 5_000,
    maxCounts: 2_000,
    maxPerReport: 1_000_000,
  },
  walledGarden: {
    /** The payment service providers of Iran's card network, where gateways send browsers to pay. */
    bankHosts: [
      ...['asan', 'bpm', 'fanava', 'ikc', 'mabna', 'omid', 'pec', 'pep', 'pna', 'sadad', 'sayan', 'sep', 'sepehr'].map(
        (provider) => `${provider}.shaparak.ir`,
      ),
    ],
  },
  /** Counts of the DNS queries that the nodes' block lists left unanswered. */
  dnsFiltering: { maxPerReport: 100_000 },
  subscription: { expiringDays: 7 },
  payment: {
    /** When a payment that is not final is asked about again, counted from its start. */
    reconcileAfterSeconds: [15, 60, 300, 900, 3_600, 21_600, 86_400, 259_200],
    refundDays: 7,
    /** New payments of an account; each calls a bank. */
    startsPerMinute: 10,
    /** Questions to the bank about one payment, and about all of an account. The charge page asks every few seconds. */
    checksPerMinute: 30,
    checksPerAccountPerMinute: 60,
    /** A gateway is judged by its calls of this many minutes, once there is a minimum of them. */
    healthMinutes: 10,
    healthCalls: 3,
    /** A call of a gateway that takes longer than this on average is slow. */
    slowMs: 4_000,
  },
  transfer: {
    minToman: 1_000,
    maxToman: 5_000_000,
    perDayToman: 10_000_000,
    perDay: 20,
    /** From this sum of a day on, the owner confirms every transfer. */
    proofFromToman: 200_000,
  },
  phone: {
    codeDigits: 6,
    /** Messages to one number from all users together, so that the product cannot be used to flood it. */
    perNumberPerHour: 3,
    perNumberPerDay: 6,
    /** Generous, because thousands may share one address; and a ceiling on the cost of one hour. */
    perNetworkPerHour: 200,
    perHour: 2_000,
  },
  avatar: {
    maxBytes: 2_000_000,
    /** Pixels of the picture as it comes, checked before it is decoded: 12 megapixels. */
    maxPixels: 12_000_000,
    /** The panel makes larger pictures this long before it sends them. */
    uploadSide: 512,
    /** Pictures that wait to be converted, one at a time. */
    queueLength: 20,
    /** Side of the square that is kept. */
    side: 256,
    perHour: 30,
  },
  /** New addresses that an account may request to verify in a day. */
  emailChangesPerDay: 5,
  dashboard: { recentPayments: 4, activities: 10, trafficPeriod: '7d', period: '30d' },
  /**
   * For how many days is kept what is deleted by age. Each table of the server says which of these goes for it, and the privacy
   * page names them all.
   */
  keptDays: {
    /** Codes, links and failed attempts. */
    attempts: 1,
    /** Answers that a repeated request gets again. */
    answers: 7,
    /** The marks by which an erased account that owes is known again, once it owes nothing. */
    debtors: 30,
    /** Visits to a store of gift cards that led to no card, and codes that nobody took. */
    storeVisits: 30,
    /** What became of mails and text messages, without their content. */
    deliveries: 30,
    /** The names on a page for somebody without an account, once its config is deleted. */
    familyLinks: 30,
    /** Sessions after their end. */
    sessions: 90,
    connections: 90,
    notifications: 180,
    /** Browsers after their last sign-in, and the cookie by which they are known. */
    devices: 400,
    /** Counts of blocked DNS queries. */
    blockedQueries: 400,
    /** Of nobody: readings of the exchange rate. */
    exchangeRates: 400,
    /** Of nobody: how often devices of an operator's network got through, by day. */
    reach: 400,
  },
  http: {
    /** A request must have arrived completely by then. */
    requestTimeoutMs: 30_000,
    timeoutMs: 10_000,
    transferTimeoutMs: 30_000,
    bodyBytes: 64 * 1024,
    /** Receipts, statements and exports together, for an account. */
    filesPerMinute: 20,
  },
} as const;

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { type Installation, type InstallationFacts, installationOf, unmetNeeds } from './installation.ts';

/** The only file of the server that reads the environment. Every variable is listed in `.env.example`. */

/** Messages such as "expected one of …", which the library's smallest build does not contain. */
const errorMessages = z.locales.en().localeError;

const switches = z.enum(['on', 'off']);
const optional = z.optional(z.string().check(z.minLength(1)));
const seconds = (usual: number, most: number) => z._default(z.coerce.number().check(z.gte(0), z.lte(most)), usual);

const environment = z.object({
  NODE_ENV: z._default(z.enum(['development', 'test', 'production']), 'development'),
  PORT: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65535)), 3000),
  HOST: z._default(z.string(), '127.0.0.1'),
  WORKER_PORT: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65535)), 0),
  PUBLIC_URL: z.optional(z.url()),
  DATA_DIR: optional,
  STATUS_DIR: optional,
  NIGHTLY_BACKUP: z._default(switches, 'off'),
  DATABASE_URL: optional,
  DATABASE_POOL_URL: optional,
  DATABASE_SILENT_SECONDS: seconds(3, 60),
  DATABASE_CONNECT_SECONDS: seconds(10, 60),
  DATABASE_STATEMENT_SECONDS: seconds(60, 86_400),
  DRAIN_SECONDS: seconds(3, 300),
  SMTP_URL: optional,
  LOCAL_NODE: z._default(z.enum(['auto', 'on', 'off']), 'auto'),
  MASTER_KEY: z.optional(z.string().check(z.minLength(32))),
  MASTER_KEY_FILE: optional,
  OPERATOR_EMAIL: z.optional(z.email()),
  ALERT_WEBHOOK_URL: z.optional(z.url()),
  ALERT_WEBHOOK_SECRET: optional,
  ENTRY_DNS_SERVER: optional,
  ENTRY_DNS_ZONE: optional,
  ENTRY_DNS_KEY: optional,
  TRUST_PROXY: z._default(z.string(), 'loopback'),
  METRICS_TOKEN: z.optional(z.string().check(z.minLength(32))),
  SAMPLE_DATA: z._default(switches, 'off'),
  DEMO: z._default(switches, 'off'),
  LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
  ZARINPAL_MERCHANT_ID: optional,
  ZARINPAL_BASE_URL: z.optional(z.url()),
  ZARINPAL_ACCESS_TOKEN: optional,
  ZARINPAL_TERMINAL_ID: optional,
  ZARINPAL_PANEL_URL: z.optional(z.url()),
  IDPAY_API_KEY: optional,
  IDPAY_BASE_URL: z.optional(z.url()),
  NEXTPAY_API_KEY: optional,
  NEXTPAY_BASE_URL: z.optional(z.url()),
  KAVENEGAR_API_KEY: optional,
  KAVENEGAR_BASE_URL: z.optional(z.url()),
  GOOGLE_CLIENT_ID: optional,
  GOOGLE_CLIENT_SECRET: optional,
  GOOGLE_ISSUER: z.optional(z.url()),
  GITHUB_CLIENT_ID: optional,
  GITHUB_CLIENT_SECRET: optional,
  GITHUB_BASE_URL: z.optional(z.url()),
  GITHUB_API_URL: z.optional(z.url()),
  USD_RATE_TOMAN: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(100_000_000))),
  CARD2GIFT_URL: z.optional(z.url()),
  CARD2GIFT_KEY: z.optional(z.string().check(z.minLength(32))),
  CARD2GIFT_WEBHOOK_SECRET: optional,
  CARDPLUS_URL: z.optional(z.url()),
  CARDPLUS_KEY: z.optional(z.string().check(z.minLength(32))),
  CARDPLUS_WEBHOOK_SECRET: optional,
  RATE_SOURCES: z._default(z.string().check(z.regex(/^[a-z0-9, ]*$/)), ''),
  NOBITEX_BASE_URL: z.optional(z.url()),
  WALLEX_BASE_URL: z.optional(z.url()),
  BITPIN_BASE_URL: z.optional(z.url()),
  TGJU_BASE_URL: z.optional(z.url()),
  GEOIP_MMDB: optional,
  PROFILE_SIGNING_PEM: optional,
  RELEASE_PUBLIC_KEY: z.optional(z.string().check(z.regex(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/))),
});

export interface StoreAgreement {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly webhookSecret: string | undefined;
}

export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  /** Decided by the public address; `installation.ts` says what each kind needs to start. */
  readonly installation: Installation;
  /** A message for each thing that this installation lacks; it does not start if there are any. */
  readonly unmetNeeds: readonly string[];
  readonly port: number;
  readonly host: string;
  /** Where a separate worker serves /livez and /metrics; 0: nowhere. */
  readonly workerPort: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Whether a timer of this machine makes backups, so that none is an alert. */
  readonly nightlyBackup: boolean;
  /** Where the status page is written. */
  readonly statusDir: string;
  readonly databaseUrl: string | undefined;
  /** A PgBouncer before the same database, by which servers, not workers, reach it for everything that needs no session of its own. */
  readonly poolUrl: string | undefined;
  readonly databaseTimes: {
    /** The database is away when it does not answer for this long. */
    readonly silentMs: number;
    /** How long to wait for a connection. */
    readonly connectMs: number;
    /** The limit of a statement; 0: none. Proofs of the ledger have none. */
    readonly statementMs: number;
  };
  /** How long a server that was told to stop goes on serving, until the proxy has noticed. */
  readonly drainMs: number;
  readonly smtpUrl: string | undefined;
  readonly localNode: 'auto' | 'on' | 'off';
  readonly masterKey: string | undefined;
  /** A file with the master key, outside the data directory. */
  readonly masterKeyFile: string | undefined;
  /** The first super admin, the address to which `raha doctor` sends its test email, and one that gets alerts. */
  readonly operatorEmail: string | undefined;
  /** Where alerts are posted to, and the secret (whsec_…) that signs them. */
  readonly alertWebhook: { readonly url: string | undefined; readonly secret: string | undefined };
  /** The name server that takes updates of the names of entries, their zone, and the key that signs the updates. */
  readonly entryDns: {
    readonly server: string | undefined;
    readonly zone: string | undefined;
    readonly key: string | undefined;
  };
  /** Networks (CIDR) of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** What a scraper of /metrics presents; without it only this machine may read them. */
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  readonly zarinpal: {
    readonly merchantId: string | undefined;
    readonly baseUrl: string | undefined;
    /** Keys of ZarinPal's merchant panel, for refunds later than half an hour after the payment. */
    readonly accessToken: string | undefined;
    readonly terminalId: string | undefined;
    readonly panelUrl: string | undefined;
  };
  readonly idpay: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined };
  readonly nextpay: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined };
  readonly kavenegar: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined };
  readonly google: {
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly issuer: string | undefined;
  };
  readonly github: {
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly baseUrl: string | undefined;
    readonly apiUrl: string | undefined;
  };
  readonly usdRateToman: number | undefined;
  /** What was agreed with each store: its page, the key that signs visits to it, and the secret of its webhooks. */
  readonly stores: Readonly<Record<'card2gift' | 'cardplus', StoreAgreement>>;
  /** Names of the exchange-rate sources to query. Empty by default: outside services are opt-in. */
  readonly rateSources: readonly string[];
  readonly rateBaseUrls: Readonly<Record<string, string | undefined>>;
  /** Whether the built-in test bank and the outbox page run: never in production, unless DEMO is on. */
  readonly simulatorsAllowed: boolean;
  /** Screens may fall back to marked samples; for tests only. */
  readonly sampleData: boolean;
  /** A GeoIP database (MMDB) newer than the bundled one. */
  readonly geoIpFile: string | undefined;
  /** A PEM file with the key and certificates that sign configuration profiles for Apple's systems. */
  readonly profileSigningFile: string | undefined;
  /** The key (`raha release key`) that signs the agent's releases; SubjectPublicKeyInfo of Ed25519 in base64. */
  readonly releasePublicKey: string | undefined;
  readonly outboxShown: boolean;
  /** PATH, in which programs of this machine are found. */
  readonly programPath: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given, { error: errorMessages });
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`);
    throw new ConfigError(`These environment variables are invalid: ${names.join(', ')}. See .env.example.`);
  }
  const e = parsed.data;
  const facts = factsOf(e);
  const { publicUrl } = facts;
  const installation = installationOf(facts);
  const simulatorsAllowed = installation !== 'production';
  return {
    environment: e.NODE_ENV,
    installation,
    unmetNeeds: unmetNeeds(facts),
    port: e.PORT,
    host: e.HOST,
    workerPort: e.WORKER_PORT,
    publicUrl,
    dataDir: resolve(e.DATA_DIR ?? defaultDataDir()),
    nightlyBackup: e.NIGHTLY_BACKUP === 'on',
    statusDir: resolve(e.STATUS_DIR ?? join(e.DATA_DIR ?? defaultDataDir(), 'status')),
    databaseUrl: e.DATABASE_URL,
    poolUrl: e.DATABASE_POOL_URL,
    databaseTimes: {
      silentMs: Math.max(0.1, e.DATABASE_SILENT_SECONDS) * 1_000,
      connectMs: Math.max(0.1, e.DATABASE_CONNECT_SECONDS) * 1_000,
      statementMs: e.DATABASE_STATEMENT_SECONDS * 1_000,
    },
    drainMs: e.DRAIN_SECONDS * 1_000,
    smtpUrl: e.SMTP_URL,
    localNode: e.LOCAL_NODE,
    masterKey: e.MASTER_KEY,
    masterKeyFile: e.MASTER_KEY_FILE,
    operatorEmail: e.OPERATOR_EMAIL,
    entryDns: { server: e.ENTRY_DNS_SERVER, zone: e.ENTRY_DNS_ZONE, key: e.ENTRY_DNS_KEY },
    alertWebhook: { url: e.ALERT_WEBHOOK_URL, secret: e.ALERT_WEBHOOK_SECRET },
    trustedProxies: readProxies(e.TRUST_PROXY),
    metricsToken: e.METRICS_TOKEN,
    logLevel: e.LOG_LEVEL,
    zarinpal: {
      merchantId: e.ZARINPAL_MERCHANT_ID,
      baseUrl: withoutSlash(e.ZARINPAL_BASE_URL),
      accessToken: e.ZARINPAL_ACCESS_TOKEN,
      terminalId: e.ZARINPAL_TERMINAL_ID,
      panelUrl: e.ZARINPAL_PANEL_URL,
    },
    idpay: { apiKey: e.IDPAY_API_KEY, baseUrl: withoutSlash(e.IDPAY_BASE_URL) },
    nextpay: { apiKey: e.NEXTPAY_API_KEY, baseUrl: withoutSlash(e.NEXTPAY_BASE_URL) },
    kavenegar: { apiKey: e.KAVENEGAR_API_KEY, baseUrl: withoutSlash(e.KAVENEGAR_BASE_URL) },
    google: { clientId: e.GOOGLE_CLIENT_ID, clientSecret: e.GOOGLE_CLIENT_SECRET, issuer: e.GOOGLE_ISSUER },
    github: {
      clientId: e.GITHUB_CLIENT_ID,
      clientSecret: e.GITHUB_CLIENT_SECRET,
      baseUrl: e.GITHUB_BASE_URL,
      apiUrl: e.GITHUB_API_URL,
    },
    usdRateToman: e.USD_RATE_TOMAN,
    stores: {
      card2gift: { url: e.CARD2GIFT_URL, key: e.CARD2GIFT_KEY, webhookSecret: e.CARD2GIFT_WEBHOOK_SECRET },
      cardplus: { url: e.CARDPLUS_URL, key: e.CARDPLUS_KEY, webhookSecret: e.CARDPLUS_WEBHOOK_SECRET },
    },
    rateSources: e.RATE_SOURCES.split(/[ ,]+/).filter((name) => name !== ''),
    rateBaseUrls: {
      nobitex: e.NOBITEX_BASE_URL,
      wallex: e.WALLEX_BASE_URL,
      bitpin: e.BITPIN_BASE_URL,
      tgju: e.TGJU_BASE_URL,
    },
    sampleData: e.SAMPLE_DATA === 'on',
    geoIpFile: e.GEOIP_MMDB,
    profileSigningFile: e.PROFILE_SIGNING_PEM,
    releasePublicKey: e.RELEASE_PUBLIC_KEY,
    simulatorsAllowed,
    outboxShown: (e.SMTP_URL === undefined || e.KAVENEGAR_API_KEY === undefined) && simulatorsAllowed,
    programPath: env.PATH ?? '',
  };
}

function factsOf(e: z.output<typeof environment>): InstallationFacts {
  const publicUrl = (e.PUBLIC_URL ?? `http://${e.HOST === '0.0.0.0' ? '127.0.0.1' : e.HOST}:${e.PORT}`).replace(
    /\/$/,
    '',
  );
  return {
    environment: e.NODE_ENV,
    demo: e.DEMO === 'on',
    publicUrl,
    smtpUrl: e.SMTP_URL,
    masterKeyGiven: e.MASTER_KEY !== undefined || e.MASTER_KEY_FILE !== undefined,
    databaseUrl: e.DATABASE_URL,
    poolUrl: e.DATABASE_POOL_URL,
    sampleData: e.SAMPLE_DATA === 'on',
    serviceUrls: serviceUrlsOf(e),
    gatewayKeys: {
      ZARINPAL_MERCHANT_ID: e.ZARINPAL_MERCHANT_ID,
      IDPAY_API_KEY: e.IDPAY_API_KEY,
      NEXTPAY_API_KEY: e.NEXTPAY_API_KEY,
    },
  };
}

/** Addresses of outside services, by variable: every `…_URL` except our own, the database's and the mail server's. */
function serviceUrlsOf(env: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const own = new Set(['PUBLIC_URL', 'DATABASE_URL', 'DATABASE_POOL_URL', 'SMTP_URL']);
  const urls = Object.entries(env).filter(([name]) => /_(URL|ISSUER)$/.test(name) && !own.has(name));
  return Object.fromEntries(urls.filter(([, url]) => typeof url === 'string')) as Record<string, string>;
}

/** CIDR networks or addresses, and `loopback`; separated by commas or spaces. */
function readProxies(text: string): string[] {
  const networks = text.split(/[ ,]+/).filter((network) => network !== '');
  if (networks.some((network) => network !== 'loopback' && !isNetwork(network))) {
    throw new ConfigError(
      'TRUST_PROXY takes networks such as 10.0.0.0/8, addresses, or loopback, separated by commas.',
    );
  }
  return networks;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return width > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width));
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}

/** In the checkout, unless that is under root's home directory, which the database's own user cannot enter. */
function defaultDataDir(): string {
  const root = resolve(import.meta.dirname, '../../..');
  if (process.getuid?.() === 0 && root.startsWith('/root/') && existsSync('/var/lib')) {
    return `/var/lib/raha${root.replaceAll('/', '-')}`;
  }
  return resolve(root, '.data');
}

import { isIP } from 'node:net';

/**
 * The kind of an installation follows from its public address, so that no setting is needed:
 *
 * - `workshop`: a loopback address. Test banks, a test store, test text messages and the outbox page are served, but only
 *   to direct requests from this machine.
 * - `demonstration`: `DEMO=on`, at any address. The same, served to everybody: nothing in it is secret or worth money.
 * - `production`: any other address, and `NODE_ENV=production`. Nothing is simulated, and it starts only with all it needs.
 */
export type Installation = 'workshop' | 'demonstration' | 'production';

export interface InstallationFacts {
  readonly environment: 'development' | 'test' | 'production';
  readonly demo: boolean;
  readonly publicUrl: string;
  readonly smtpUrl: string | undefined;
  /** Given by the operator, not generated in the data directory. */
  readonly masterKeyGiven: boolean;
  readonly databaseUrl: string | undefined;
  readonly poolUrl: string | undefined;
  readonly sampleData: boolean;
  /** Addresses of services that the operator set, by variable. */
  readonly serviceUrls: Readonly<Record<string, string | undefined>>;
  /** Keys of gateways that the operator set, by variable. */
  readonly gatewayKeys: Readonly<Record<string, string | undefined>>;
}

export function installationOf({
  demo,
  environment,
  publicUrl,
}: Pick<InstallationFacts, 'demo' | 'environment' | 'publicUrl'>): Installation {
  if (demo) return 'demonstration';
  return environment !== 'production' && isLoopback(publicUrl) ? 'workshop' : 'production';
}

interface Need {
  readonly of: readonly Installation[];
  /** A message that says what to set; undefined if the need is met. */
  unmet(facts: InstallationFacts): string | undefined;
}

const production: readonly Installation[] = ['production'];
const everywhere: readonly Installation[] = ['workshop', 'demonstration', 'production'];

const needs: readonly Need[] = [
  {
    of: production,
    unmet: ({ publicUrl }) =>
      publicUrl.startsWith('https://') && !isLoopback(publicUrl)
        ? undefined
        : `PUBLIC_URL is ${publicUrl}: set it to the https address that users open, for example https://raha.example.`,
  },
  {
    of: production,
    unmet: ({ smtpUrl }) =>
      smtpUrl === undefined
        ? 'SMTP_URL is not set: without a mail server no sign-in code can be sent. Set it, for example to smtps://user:password@mail.example:465.'
        : undefined,
  },
  {
    of: everywhere,
    unmet: ({ smtpUrl }) =>
      smtpUrl !== undefined && weakensTls(smtpUrl)
        ? 'SMTP_URL switches TLS or the check of its certificate off: remove ignoreTLS, requireTLS=false and tls.rejectUnauthorized from it.'
        : undefined,
  },
  {
    of: production,
    unmet: ({ masterKeyGiven }) =>
      masterKeyGiven
        ? undefined
        : 'Set MASTER_KEY_FILE (or MASTER_KEY) and keep a copy elsewhere: a key that is kept only beside the database is lost with it.',
  },
  {
    of: everywhere,
    unmet: ({ databaseUrl, poolUrl }) => {
      const urls = { DATABASE_URL: databaseUrl, DATABASE_POOL_URL: poolUrl };
      const open = Object.entries(urls).find(([, url]) => url !== undefined && isRemoteWithoutTls(url));
      return (
        open &&
        `${open[0]} is on another machine: add ?sslmode=verify-full, so that nobody on the network can read or change the ledger.`
      );
    },
  },
  {
    of: everywhere,
    unmet: ({ databaseUrl, poolUrl }) =>
      poolUrl !== undefined && databaseUrl === undefined
        ? 'DATABASE_POOL_URL stands beside DATABASE_URL, the address of the same database without PgBouncer: set both.'
        : undefined,
  },
  {
    of: ['production', 'demonstration'],
    unmet: ({ sampleData }) => (sampleData ? 'SAMPLE_DATA is for tests: remove it.' : undefined),
  },
  {
    of: production,
    unmet: ({ gatewayKeys }) => {
      const test = Object.entries(gatewayKeys).find(([, key]) => key !== undefined && isTestKey(key));
      return test && `${test[0]} is the key of a test bank: set the key that the bank gave you, or remove it.`;
    },
  },
  {
    of: production,
    unmet: ({ serviceUrls }) => {
      const plain = Object.entries(serviceUrls).find(([, url]) => url?.startsWith('http://'));
      return plain && `${plain[0]} is an http address: money, codes and exchange rates only travel over https.`;
    },
  },
];

/** One message for each thing that this installation lacks. */
export function unmetNeeds(facts: InstallationFacts): string[] {
  const installation = installationOf(facts);
  return needs.flatMap((need) => (need.of.includes(installation) ? (need.unmet(facts) ?? []) : []));
}

/** Whether an address names this machine (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3, RFC 6761 section 6.3). */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}

function weakensTls(smtpUrl: string): boolean {
  const { hostname, searchParams } = new URL(smtpUrl);
  if (isLoopbackHost(hostname)) return false;
  return (
    searchParams.get('ignoreTLS') === 'true' ||
    searchParams.get('requireTLS') === 'false' ||
    searchParams.has('tls.rejectUnauthorized')
  );
}

/** A socket directory as host, as in `postgres:///raha?host=/run/postgresql`, means this machine. */
function isRemoteWithoutTls(databaseUrl: string): boolean {
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return false;
  return !['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '');
}

/** The keys of the built-in test banks, and the test keys that the banks document. */
function isTestKey(key: string): boolean {
  return /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/.test(key) || /^(test|sandbox)/i.test(key);
}

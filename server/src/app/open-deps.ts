import { join } from 'node:path';
import { limits } from '@raha/contract/limits.ts';
import { openGeoDatabase } from '../adapters/geo-ip/geo-ip.ts';
import { openNetworkDirectory } from '../adapters/geo-ip/network-directory.ts';
import { createMailer, type Mailer } from '../adapters/mail/mail.ts';
import { createBankFaults } from '../adapters/test-bank/faults.ts';
import { openSenderKey } from '../adapters/web-push/sender-key.ts';
import { createWebPush } from '../adapters/web-push/web-push.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { lockBalance } from '../modules/billing/lock-balance.ts';
import { confirmRemoval } from '../modules/configs/change-config.ts';
import { createNodeProbe } from '../modules/fleet/probe-node.ts';
import { hasOpenLease } from '../modules/metering/leases.ts';
import { createWatchedConfigs } from '../modules/metering/watched-configs.ts';
import { createNotifier } from '../modules/notifications/notifier.ts';
import type { Gateway } from '../modules/payments/gateway.ts';
import { measureGateway } from '../modules/payments/gateway-health.ts';
import { STRANGERS_AT_A_TIME, STRANGERS_WAITING } from '../modules/sessions/take-call.ts';
import { createTokens } from '../modules/sessions/tokens.ts';
import { brandName } from '../modules/site/settings.ts';
import { isGiving, readAllowance } from '../modules/subscriptions/allowance.ts';
import { openBus } from '../platform/bus.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/database.ts';
import { watchDatabase } from '../platform/database-watch.ts';
import { createFairQueue } from '../platform/fair-queue.ts';
import { createNetworkLimit } from '../platform/http/network-limit.ts';
import { openJobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { createMinuteLimit } from '../platform/minute-limit.ts';
import { getSetting, keepSettings } from '../platform/settings.ts';
import { openFileSigner } from '../platform/signed-file.ts';
import { openAlertWebhook } from './alert-webhook.ts';
import type { Deps } from './deps.ts';
import { openEntryDns } from './entry-dns.ts';
import { openExchangeRate, openExchangeRateFeeds } from './exchange-rate.ts';
import { openVault } from './master-key.ts';
import { openGateways } from './open-gateways.ts';
import { openSms } from './sms.ts';
import { openSocialPorts } from './social-providers.ts';
import { openStores } from './stores.ts';

export interface OpenOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** One key per line, the newest first. */
  readonly masterKey: string;
  readonly log: Log;
  /** True if this process runs jobs, not only enqueues them. */
  readonly worker: boolean;
  readonly clock?: Clock;
  /** The maximum number of database connections; absent: the default. */
  readonly connections?: number | undefined;
  /** The addresses of push services, instead of the browsers' own; for tests. */
  readonly pushServices?: RegExp | undefined;
  /** Replacements for outside services and limits, for tests. */
  readonly overrides?: Partial<
    Pick<
      Deps,
      | 'mailer'
      | 'sms'
      | 'push'
      | 'alertWebhook'
      | 'entryDns'
      | 'exchangeRate'
      | 'exchangeRateFeeds'
      | 'gateways'
      | 'socialPorts'
      | 'minuteLimit'
      | 'traceWaitMs'
    >
  > & { readonly settingsKeptMs?: number };
}

/** Opens what a process needs. `drain` ends what waits for a change; `close` closes everything in reverse order. */
export async function openDeps(options: OpenOptions): Promise<Deps & { drain(): void; close(): Promise<void> }> {
  const { config, databaseUrl, log } = options;
  const clock = options.clock ?? systemClock;
  const watch = await watchDatabase(databaseUrl, log, config.databaseTimes);
  // Proofs change the plans and limits of their session, so a worker has sessions of its own.
  const poolUrl = options.worker ? undefined : config.poolUrl;
  const db = openDatabase(poolUrl ?? databaseUrl, {
    pooled: poolUrl !== undefined,
    ...config.databaseTimes,
    max: options.connections,
    watch,
    onError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  const vault = await openVault(db, options.masterKey);
  const bus = await openBus(databaseUrl, db, log, watch);
  const endKeeping = keepSettings(db, bus, options.overrides?.settingsKeptMs);
  const jobs = await openJobs(databaseUrl, { log, vault, watch }, { supervise: options.worker });
  const draining = new AbortController();
  const address = { origin: `http://127.0.0.1:${config.port}` };
  const exchangeRate = options.overrides?.exchangeRate ?? openExchangeRate(config, clock);
  const publicUrl = () => (config.publicUrl.endsWith(':0') ? address.origin : config.publicUrl);
  const notifier = createNotifier({ clock, bus, jobs, vault, publicUrl });
  return {
    config,
    get publicUrl() {
      return publicUrl();
    },
    get secureCookies() {
      return areCookiesSecure(publicUrl());
    },
    db,
    databaseUrl,
    watch,
    clock,
    draining: draining.signal,
    log,
    vault,
    tokens: createTokens(vault, clock),
    bus,
    jobs,
    mailer: openMailer(config, db, clock),
    sms: openSms(config, address),
    push: createWebPush({ key: openSenderKey(vault), clock, publicUrl, services: options.pushServices }),
    alertWebhook: openAlertWebhook(config, clock),
    entryDns: openEntryDns(config),
    exchangeRate,
    exchangeRateFeeds: openExchangeRateFeeds(config),
    gateways: measured({ db, clock, log }, openGateways(config, address, publicUrl)),
    bankFaults: createBankFaults(),
    stores: openStores(config, vault, publicUrl),
    probeNode: createNodeProbe({ db, bus, clock }),
    watchedConfigs: createWatchedConfigs({ bus, clock }),
    geo: openGeoDatabase({ file: config.geoIpFile, log }),
    networks: openNetworkDirectory({ log }),
    signProfile: config.profileSigningFile ? openFileSigner(config.profileSigningFile, clock) : undefined,
    notifier,
    audit: createAudit({ clock, vault, log }),
    minuteLimit: createMinuteLimit(clock),
    strangers: createFairQueue(STRANGERS_AT_A_TIME, STRANGERS_WAITING),
    networkLimit: createNetworkLimit(clock, limits.verificationCode.perNetworkPerHour),
    socialPorts: new Map(openSocialPorts(config, address, publicUrl).map((port) => [port.name, port])),
    lockBalance: (tx, userId) => lockBalance({ clock, exchangeRate, bus, notifier }, tx, userId),
    hasAllowance: async (userId) =>
      isGiving(await readAllowance(db, userId, clock.now())) || (await hasOpenLease(db, userId)),
    confirmRemoval: (tx, configIds) => confirmRemoval({ clock }, tx, configIds),
    address,
    ...options.overrides,
    drain: () => draining.abort(),
    async close() {
      await jobs.stop();
      endKeeping();
      await bus.close();
      await db.destroy();
      await watch.close();
    },
  };
}

function measured(deps: Parameters<typeof measureGateway>[0], gateways: readonly Gateway[]): Deps['gateways'] {
  return new Map(gateways.map((gateway) => [gateway.name, measureGateway(deps, gateway)]));
}

/** Asked by every call that sets a cookie. */
const areCookiesSecure = keepLast((publicUrl: string) => isSecure(new URL(publicUrl)));

/** Remembers the answer to the last question. */
function keepLast<T>(answer: (question: string) => T): (question: string) => T {
  let last: { readonly question: string; readonly answer: T } | undefined;
  return (question) => {
    if (last?.question !== question) last = { question, answer: answer(question) };
    return last.answer;
  };
}

/** Browsers treat this machine as if it had HTTPS (Secure Contexts, section 3.1). */
function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

function openMailer({ smtpUrl, dataDir, publicUrl }: Config, db: Database, clock: Clock): Mailer {
  const from = { name: () => getSetting(db, brandName), address: senderOf(publicUrl) };
  return createMailer({ smtpUrl, outboxDir: join(dataDir, 'outbox'), from, clock });
}

/** Emails are sent from an address of the site's own domain. */
function senderOf(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return `no-reply@${/^[\d.]+$|^\[|^localhost$/.test(hostname) ? 'raha.example' : hostname}`;
}

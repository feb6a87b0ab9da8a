import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { SocialProvider } from '@raha/contract/public/social.ts';
import type { Mailer } from '../adapters/mail/mail.ts';
import type { BankFaults } from '../adapters/test-bank/faults.ts';
import type { AlertWebhook } from '../modules/alerts/webhook.ts';
import type { ServiceNotifier } from '../modules/billing/notifications.ts';
import type { GeoDatabase } from '../modules/configs/network-status.ts';
import type { ExchangeRateFeed, ExchangeRateSource } from '../modules/currency/exchange-rate.ts';
import type { NodeProbe } from '../modules/fleet/probe-node.ts';
import type { GiftCardStore } from '../modules/gift-cards/store.ts';
import type { LockBalance } from '../modules/ledger/locked-balance.ts';
import type { WatchedConfigs } from '../modules/metering/watched-configs.ts';
import type { EntryDns } from '../modules/movement/entry-dns.ts';
import type { AllNotifications } from '../modules/notifications/kinds.ts';
import type { Gateway } from '../modules/payments/gateway.ts';
import type { NetworkDirectory } from '../modules/reach/networks.ts';
import type { SocialPort } from '../modules/sessions/social.ts';
import type { SignInCall } from '../modules/sessions/take-call.ts';
import type { Tokens } from '../modules/sessions/tokens.ts';
import type { Audit } from '../platform/audit.ts';
import type { Bus } from '../platform/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database, Tx } from '../platform/database.ts';
import type { DatabaseWatch } from '../platform/database-watch.ts';
import type { FairQueue } from '../platform/fair-queue.ts';
import type { NetworkLimit } from '../platform/http/network-limit.ts';
import type { Worker } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { MinuteLimit } from '../platform/minute-limit.ts';
import type { Notifier } from '../platform/notifications.ts';
import type { PushSender } from '../platform/push.ts';
import type { Vault } from '../platform/sealed.ts';
import type { FileSigner } from '../platform/signed-file.ts';
import type { SmsSender } from '../platform/sms.ts';

/** Everything the use cases need, opened once per process. Each use case declares the part that it uses. */
export interface Deps {
  readonly config: Config;
  readonly publicUrl: string;
  readonly secureCookies: boolean;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly watch: DatabaseWatch;
  readonly clock: Clock;
  /** Aborted when this process was told to stop: what only waits ends, and clients are sent elsewhere. */
  readonly draining: AbortSignal;
  readonly log: Log;
  readonly audit: Audit;
  readonly vault: Vault;
  readonly tokens: Tokens;
  readonly bus: Bus;
  readonly jobs: Worker;
  readonly mailer: Mailer;
  /** Undefined if text messages cannot be sent. */
  readonly sms: SmsSender | undefined;
  readonly push: PushSender;
  /** Undefined if the operator named no receiver. */
  readonly alertWebhook: AlertWebhook | undefined;
  /** Undefined if the operator named no name server. */
  readonly entryDns: EntryDns | undefined;
  readonly exchangeRate: ExchangeRateSource;
  readonly exchangeRateFeeds: readonly ExchangeRateFeed[];
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
  readonly stores: ReadonlyMap<string, GiftCardStore>;
  /** Faults that tests plan for the test banks. */
  readonly bankFaults: BankFaults;
  readonly notifier: Notifier<AllNotifications> & ServiceNotifier;
  readonly probeNode: NodeProbe;
  /** Instead of `staffLimits.traces.waitSeconds`, in tests. */
  readonly traceWaitMs?: number;
  readonly watchedConfigs: WatchedConfigs;
  readonly geo: GeoDatabase;
  readonly networks: NetworkDirectory;
  /** Signs configuration profiles for Apple's systems; undefined without a signing key. */
  readonly signProfile: FileSigner | undefined;
  readonly networkLimit: NetworkLimit;
  readonly minuteLimit: MinuteLimit;
  readonly strangers: FairQueue<SignInCall>;
  readonly socialPorts: ReadonlyMap<SocialProvider, SocialPort>;
  readonly lockBalance: LockBalance;
  readonly hasAllowance: (userId: string) => Promise<boolean>;
  readonly confirmRemoval: (tx: Tx, configIds: readonly string[]) => Promise<void>;
  /** The address that this process listens on, set once it listens. The simulators are called there, over loopback. */
  readonly address: { origin: string };
}

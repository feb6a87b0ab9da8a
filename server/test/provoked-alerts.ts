/** For each alert of deploy/monitoring/raha.rules.yml: series that provoke it, in promtool's notation, one value a minute. */
export interface Provoked {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  readonly atMinutes: number;
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

const requests = 'http_request_duration_seconds_count';
const server = 'instance="127.0.0.1:3000", job="raha-server"';
const both = { instance: '127.0.0.1:3000', job: 'raha-server' };
const instance = { instance: '127.0.0.1:3000' };
const reports = `${requests}{route="/node/v2/usage-reports", status="200"}`;
const bucket = (le: string) => `http_request_duration_seconds_bucket{route="/api/v1/auth/me", le="${le}"}`;
/** Minutes after which an alert must have fired that waits for at most ten. */
const SOON = 20;

export const provoked: readonly Provoked[] = [
  { alert: 'LedgerBroken', series: { ledger_invariant_violations: '0 1' }, atMinutes: 1 },
  { alert: 'LedgerNotProved', series: { ledger_last_proof_timestamp_seconds: '60x10' }, atMinutes: 7 },
  { alert: 'LedgerNotProvedWhole', series: { ledger_last_whole_proof_timestamp_seconds: '0x3000' }, atMinutes: 2890 },
  {
    alert: 'NoPaymentsSucceed',
    series: { payments_started_recently: '6x30', payments_completed_recently: '0x30' },
    atMinutes: SOON,
  },
  {
    alert: 'GatewayFails',
    series: {
      'gateway_calls_recently{gateway="zarinpal"}': '20x30',
      'gateway_calls_unanswered_recently{gateway="zarinpal"}': '5x30',
    },
    atMinutes: SOON,
    labels: { gateway: 'zarinpal' },
  },
  { alert: 'PaymentsWaitForReview', series: { payments_to_review: '1x100' }, atMinutes: 70 },
  { alert: 'PaymentsHeld', series: { payments_held: '1x100' }, atMinutes: 70 },
  { alert: 'RefundsUnknown', series: { 'refunds_open{state="unknown"}': '1x100' }, atMinutes: 70 },
  { alert: 'RateMissing', series: { exchange_rate_served: '0x30' }, atMinutes: SOON },
  { alert: 'ServerDown', series: { [`up{${server}}`]: '0x30' }, atMinutes: SOON, labels: both },
  { alert: 'AllServersDown', series: { [`up{${server}}`]: '0x30' }, atMinutes: SOON },
  { alert: 'DatabaseAway', series: { database_up: '1 0x30' }, atMinutes: SOON },
  {
    alert: 'ErrorsByUs',
    series: { [`${requests}{status="200"}`]: '0+100x30', [`${requests}{status="503"}`]: '0+5x30' },
    atMinutes: SOON,
  },
  {
    alert: 'SlowApi',
    series: { [bucket('1')]: '0+90x30', [bucket('3')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    atMinutes: SOON,
  },
  {
    alert: 'EventLoopStuck',
    series: { [`nodejs_eventloop_lag_p99_seconds{${server}}`]: '0.5x30' },
    atMinutes: SOON,
    labels: instance,
  },
  {
    alert: 'MemoryGrows',
    series: { [`process_resident_memory_bytes{${server}}`]: '2000000000x30' },
    atMinutes: SOON,
    labels: both,
  },
  { alert: 'WorkerSilent', series: { 'worker_is_leader{instance="a"}': '0x30' }, atMinutes: SOON },
  { alert: 'JobsLate', series: { jobs_oldest_seconds: '0+60x30' }, atMinutes: SOON },
  { alert: 'JobsFailed', series: { jobs_failed: '1x30' }, atMinutes: SOON },
  {
    alert: 'FiguresOld',
    series: { [`figures_timestamp_seconds{${server}}`]: '60x30' },
    atMinutes: SOON,
    labels: instance,
  },
  { alert: 'NodeOffline', series: { 'vpn_node_online{node="de1"}': '0x30' }, atMinutes: SOON, labels: { node: 'de1' } },
  { alert: 'NodesFull', series: { 'vpn_node_slots_free{node="de1"}': '400x30' }, atMinutes: SOON },
  { alert: 'UnbilledBytes', series: { 'vpn_node_unmetered_bytes{node="de1"}': '0+100000000x100' }, atMinutes: 90 },
  { alert: 'UsageStopsArriving', series: { [reports]: '0+600x1440 864000x60' }, atMinutes: 1470 },
  {
    alert: 'AgentsRefused',
    series: { 'node_version_refusals_total{agent="1"}': '0+1x30' },
    atMinutes: SOON,
    labels: { agent: '1' },
  },
  { alert: 'BackupOld', series: { backup_verified_timestamp_seconds: '0x1600' }, atMinutes: 1570 },
  { alert: 'ArchiveFails', series: { pg_stat_archiver_failed_count: '0+1x30' }, atMinutes: SOON },
  { alert: 'StandbyLost', series: { patroni_sync_standby: '0x30' }, atMinutes: SOON },
  {
    alert: 'DiskFills',
    series: { 'node_filesystem_avail_bytes{mountpoint="/", instance="a"}': '1000000000-1000000x500' },
    atMinutes: 400,
    labels: { mountpoint: '/', instance: 'a' },
  },
];

/** An installation in which nothing is wrong: no alert fires. */
export const healthy: Readonly<Record<string, string>> = {
  ledger_invariant_violations: '0x120',
  ledger_last_proof_timestamp_seconds: '0+60x120',
  ledger_last_whole_proof_timestamp_seconds: '0x120',
  payments_started_recently: '20x120',
  payments_completed_recently: '15x120',
  'gateway_calls_recently{gateway="zarinpal"}': '40x120',
  'gateway_calls_unanswered_recently{gateway="zarinpal"}': '1x120',
  payments_to_review: '0x120',
  payments_held: '0x120',
  'refunds_open{state="unknown"}': '0x120',
  exchange_rate_served: '1x120',
  [`up{${server}}`]: '1x120',
  database_up: '1x120',
  [`${requests}{status="200"}`]: '0+1000x120',
  [`${requests}{status="503"}`]: '0+1x120',
  [bucket('1')]: '0+100x120',
  [bucket('+Inf')]: '0+100x120',
  [`nodejs_eventloop_lag_p99_seconds{${server}}`]: '0.02x120',
  [`process_resident_memory_bytes{${server}}`]: '300000000x120',
  'worker_is_leader{instance="a"}': '1x120',
  'worker_is_leader{instance="b"}': '0x120',
  jobs_oldest_seconds: '1x120',
  jobs_failed: '0x120',
  [`figures_timestamp_seconds{${server}}`]: '0+60x120',
  backup_verified_timestamp_seconds: '0x120',
  'vpn_node_online{node="de1"}': '1x120',
  'vpn_node_slots_free{node="de1"}': '4000x120',
  'vpn_node_unmetered_bytes{node="de1"}': '0+1000x120',
};

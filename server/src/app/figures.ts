import { Gauge, type Registry } from 'prom-client';
import { type NodeFigures, readNodeFigures } from '../modules/fleet/figures.ts';
import { readProofState } from '../modules/ledger/proofs.ts';
import { readPaymentFigures } from '../modules/payments/figures.ts';
import { findHold } from '../modules/payments/hold.ts';
import { readJobFigures } from '../platform/jobs.ts';
import { readBackupVerified } from './backup-verified.ts';
import type { Deps } from './deps.ts';

/** A scraper of every process asks for the same figures: each process reads them at most this often. */
const KEEP_MS = 10_000;

/**
 * Figures that the database knows: every process shows all of them, so that an alarm does not depend on which one lives. Without
 * the database the last ones stay; `figures_timestamp_seconds` says of when they are. No label identifies a user.
 */
export function createFigures(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'exchangeRate' | 'config'>,
  registry: Registry,
) {
  const gauge: MakeGauge = (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers: [registry] });
  const readAt = gauge(
    'figures_timestamp_seconds',
    'When this process last read the figures of the database; 0: never',
  );
  const violations = gauge(
    'ledger_invariant_violations',
    'Invariants of the ledger that are violated; any value above 0 is an emergency',
  );
  const lastProof = gauge(
    'ledger_last_proof_timestamp_seconds',
    'When what is new in the ledger was last proved, whatever it found; 0: never. Older than five minutes: no worker proves',
  );
  const wholeProof = gauge(
    'ledger_last_whole_proof_timestamp_seconds',
    'When every month of the ledger had last been proved and held; 0: never',
  );
  const started = gauge('payments_started_recently', 'Payments begun in the last half hour');
  const completed = gauge('payments_completed_recently', 'Those of them that are credited');
  const toReview = gauge('payments_to_review', 'Payments that need a decision of the operator');
  const held = gauge('payments_held', '1: after a restore nobody can pay until the books agree with the banks');
  const refunds = gauge('refunds_open', 'Refunds that may have been sent or not, or that the operator sends', 'state');
  const calls = gauge('gateway_calls_recently', 'Calls of a gateway in the last ten minutes', 'gateway');
  const unanswered = gauge('gateway_calls_unanswered_recently', 'Those of them without an answer', 'gateway');
  const showNodes = createNodeGauges(gauge);
  const oldest = gauge('jobs_oldest_seconds', 'How long the oldest waiting job has waited');
  const failed = gauge('jobs_failed', 'Jobs of the last day that failed for good');
  const rate = gauge('exchange_rate_served', '1 while there is an exchange rate; without one nothing can be priced');

  const showBackup = createBackupGauge(gauge, deps.config.databaseUrl === undefined || deps.config.nightlyBackup);

  const read = async (): Promise<void> => {
    const { db, clock } = deps;
    const now = clock.now();
    const proofs = await readProofState(db);
    violations.set(proofs.violations);
    lastProof.set((proofs.lastAt?.getTime() ?? 0) / 1_000);
    wholeProof.set((proofs.wholeAt?.getTime() ?? 0) / 1_000);
    const payments = await readPaymentFigures(db, now);
    const jobs = await readJobFigures(db);
    rate.set((await deps.exchangeRate.current(db)) === undefined ? 0 : 1);
    started.set(payments.started);
    completed.set(payments.completed);
    toReview.set(payments.toReview);
    held.set((await findHold(db)) === undefined ? 0 : 1);
    refunds.set({ state: 'unknown' }, payments.refundsUnknown);
    refunds.set({ state: 'by_hand' }, payments.refundsByHand);
    for (const one of [calls, unanswered]) one.reset();
    for (const [gateway, { calls: all, unanswered: none }] of payments.calls) {
      calls.set({ gateway }, all);
      unanswered.set({ gateway }, none);
    }
    showNodes(await readNodeFigures(db, now));
    oldest.set(jobs.oldestSeconds);
    failed.set(jobs.failed);
    showBackup(await readBackupVerified(db));
    readAt.set(now.getTime() / 1_000);
  };

  let at = Number.NEGATIVE_INFINITY;
  return {
    async refresh(): Promise<void> {
      const now = deps.clock.now().getTime();
      if (Math.abs(now - at) < KEEP_MS) return;
      try {
        await read();
        at = now;
      } catch (err) {
        deps.log.warn({ err }, 'the figures of the metrics were not read');
      }
    },
  };
}

type MakeGauge = (name: string, help: string, ...labelNames: string[]) => Gauge;

/** A PostgreSQL of the operator's may have backups of other tools, and alarms for them: absent until one of ours is verified or expected. */
function createBackupGauge(gauge: MakeGauge, isOurs: boolean): (verifiedAt: Date | undefined) => void {
  const make = () =>
    gauge('backup_verified_timestamp_seconds', 'When the backup was made that was verified last; 0: none was');
  let shown = isOurs ? make() : undefined;
  return (verifiedAt) => {
    if (verifiedAt) shown ??= make();
    shown?.set((verifiedAt?.getTime() ?? 0) / 1_000);
  };
}

function createNodeGauges(gauge: MakeGauge): (nodes: readonly NodeFigures[]) => void {
  const online = gauge('vpn_node_online', '1: the VPN server reports', 'node');
  const slots = gauge('vpn_node_slots_free', 'For how many more configs there is room', 'node');
  const unmetered = gauge('vpn_node_unmetered_bytes', 'Upper bound of bytes that were never billed', 'node');
  return (nodes) => {
    for (const one of [online, slots, unmetered]) one.reset();
    for (const { name, isOnline, freeSlots, unmeteredBytes } of nodes) {
      online.set({ node: name }, isOnline ? 1 : 0);
      slots.set({ node: name }, freeSlots);
      unmetered.set({ node: name }, unmeteredBytes);
    }
  };
}

import type { Cause } from '../modules/alerts/rules.ts';
import { listFailingChannels } from '../modules/alerts/send-messages.ts';
import { listSilentNodes } from '../modules/fleet/figures.ts';
import { listRelaysInTrouble } from '../modules/fleet/relays.ts';
import { readProofs } from '../modules/ledger/proofs.ts';
import { listRuleFindings } from '../modules/movement/block-by-rule.ts';
import { readPaymentFigures } from '../modules/payments/figures.ts';
import { findHold } from '../modules/payments/hold.ts';
import { countOpenDifferences } from '../modules/settlements/list-settlements.ts';
import { listUndecidedActs } from '../modules/staff/approvals.ts';
import { countForgotten } from '../modules/staff/second-member.ts';
import { listUndecidedProposals } from '../modules/wallet/decide-proposal.ts';
import { secondsBetween } from '../platform/clock.ts';
import { readFailedJobs, readJobFigures, type Schedule } from '../platform/jobs.ts';
import { readRuns } from '../platform/schedule-runs.ts';
import { readBackupVerified } from './backup-verified.ts';
import type { Deps } from './deps.ts';
import { listFlags } from './flags.ts';

type CauseDeps = Pick<Deps, 'db' | 'clock' | 'exchangeRate' | 'config'>;

/** A wait that is as long as the alert's sentence says: a figure that has no time of its own. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PROOF_SECONDS = 5 * MINUTE;
const WHOLE_PROOF_SECONDS = 2 * DAY;
const BACKUP_SECONDS = 26 * HOUR;
const JOBS_LATE_SECONDS = MINUTE;
/** A schedule that runs often is late after five minutes, not after three of its seconds. */
const SHORTEST_PERIOD_SECONDS = 100;

/**
 * Everything that is wrong now, from figures that stand in the database already (decision 83): nothing is scanned for it. Throws
 * when one of them cannot be read, so that nothing closes that was not looked at. What it finds has the thresholds of
 * deploy/monitoring/raha.rules.yml.
 */
export async function findCauses(deps: CauseDeps, schedules: readonly Schedule<never>[]): Promise<Cause[]> {
  const now = deps.clock.now();
  return [
    ...(await findLedgerCauses(deps, now)),
    ...(await findWorkCauses(deps, schedules, now)),
    ...(await findMoneyCauses(deps, now)),
    ...(await findNodeCauses(deps, now)),
    ...(await findBackupCauses(deps, now)),
    ...(await findFlagCauses(deps, now)),
    ...(await findProposalCauses(deps, now)),
    ...(await listFailingChannels(deps.db, now)).map((channel) => cause('alert_undelivered', { cause: channel })),
  ];
}

function cause(rule: Cause['rule'], more: Partial<Omit<Cause, 'rule'>> = {}): Cause {
  return { rule, cause: '', figure: null, forSeconds: 0, ...more };
}

/**
 * What should have happened at least every so many seconds. The last `waits` of them it waits as a cause, so that after a stop of the
 * worker it can happen first.
 */
function late(
  rule: Cause['rule'],
  last: Date | null | undefined,
  { seconds, waits }: { readonly seconds: number; readonly waits: number },
  now: Date,
): Cause[] {
  if (!last) return [cause(rule, { forSeconds: seconds })];
  return secondsBetween(last, now) > seconds - waits ? [cause(rule, { forSeconds: waits })] : [];
}

async function findLedgerCauses({ db }: CauseDeps, now: Date): Promise<Cause[]> {
  const proofs = await readProofs(db);
  const violated = new Set([...proofs.values()].flatMap((proof) => proof.violated));
  return [
    ...[...violated].map((code) => cause('ledger_broken', { cause: code })),
    ...late('ledger_not_proved', proofs.get('new')?.ended_at, { seconds: PROOF_SECONDS, waits: 90 }, now),
    ...late(
      'ledger_not_proved_whole',
      proofs.get('whole')?.proved_at,
      { seconds: WHOLE_PROOF_SECONDS, waits: HOUR },
      now,
    ),
  ];
}

/**
 * A schedule is a cause from half of its time on, and waits the other half: after a stop of the worker every schedule gets one whole
 * period to run before it counts as late.
 */
async function findWorkCauses({ db }: CauseDeps, schedules: readonly Schedule<never>[], now: Date): Promise<Cause[]> {
  const runs = await readRuns(db);
  const lateSchedules = schedules.flatMap(({ name, everyMs }) => {
    const half = 1.5 * Math.max(SHORTEST_PERIOD_SECONDS, everyMs / 1_000);
    const last = runs.get(name);
    const isLate = !last || secondsBetween(last, now) > half;
    return isLate ? [cause('schedule_late', { cause: name, forSeconds: half })] : [];
  });
  const { oldestSeconds } = await readJobFigures(db);
  const failed = await readFailedJobs(db);
  return [
    ...lateSchedules,
    ...(oldestSeconds > JOBS_LATE_SECONDS ? [cause('jobs_late', { forSeconds: 2 * MINUTE })] : []),
    ...failed.map(({ name, count }) => cause('jobs_failed', { cause: name, figure: count })),
  ];
}

async function findMoneyCauses({ db, exchangeRate }: CauseDeps, now: Date): Promise<Cause[]> {
  const { started, completed, toReview, refundsUnknown, calls } = await readPaymentFigures(db, now);
  const failing = [...calls].filter(([, gateway]) => gateway.calls > 10 && gateway.unanswered > gateway.calls / 5);
  return [
    ...(toReview > 0 ? [cause('payments_to_review', { figure: toReview, forSeconds: HOUR })] : []),
    ...((await findHold(db)) ? [cause('payments_held', { forSeconds: HOUR })] : []),
    ...(started > 5 && completed === 0
      ? [cause('no_payment_succeeds', { figure: started, forSeconds: 5 * MINUTE })]
      : []),
    ...failing.map(([gateway]) => cause('gateway_fails', { cause: gateway, forSeconds: 5 * MINUTE })),
    ...(refundsUnknown > 0 ? [cause('refunds_unknown', { figure: refundsUnknown, forSeconds: HOUR })] : []),
    ...(await countOpenDifferences(db)).map(({ gateway, count }) =>
      cause('settlement_differs', { cause: gateway, figure: count }),
    ),
    ...((await exchangeRate.current(db)) ? [] : [cause('rate_missing', { forSeconds: 10 * MINUTE })]),
  ];
}

async function findNodeCauses({ db }: CauseDeps, now: Date): Promise<Cause[]> {
  const silent = await listSilentNodes(db, now);
  const { away } = await listRelaysInTrouble(db);
  const { out, kept } = await listRuleFindings(db);
  return [
    ...silent.map((name) => cause('node_silent', { cause: name, forSeconds: 2 * MINUTE })),
    // A relay that was just added gets the time in which its command is run.
    ...away.map((name) => cause('relay_away', { cause: name, forSeconds: 10 * MINUTE })),
    ...out.map((name) => cause('entry_taken_out', { cause: name })),
    // It was so for half an hour already.
    ...kept.map((name) => cause('entry_suspect', { cause: name })),
  ];
}

/** A PostgreSQL of the operator's may have backups of other tools: silent until one of ours was verified, unless our timer should. */
async function findBackupCauses({ db, config }: CauseDeps, now: Date): Promise<Cause[]> {
  if (config.installation !== 'production') return [];
  const verifiedAt = await readBackupVerified(db);
  if (!verifiedAt && config.databaseUrl !== undefined && !config.nightlyBackup) return [];
  return late('backup_old', verifiedAt, { seconds: BACKUP_SECONDS, waits: 0 }, now);
}

async function findFlagCauses({ db }: CauseDeps, now: Date): Promise<Cause[]> {
  const overdue = (await listFlags(db, now)).filter(({ isOverdue }) => isOverdue);
  return overdue.map(({ name }) => cause('flag_overdue', { cause: name }));
}

/** More than this are not counted: each of so many has to be looked at anyway. */
const MOST_PROPOSALS = 100;

/** The waiting is counted from each proposal, so the alert itself waits no longer. */
async function findProposalCauses({ db }: CauseDeps, now: Date): Promise<Cause[]> {
  const undecided = [
    ...(await listUndecidedActs(db, now, MOST_PROPOSALS)),
    ...(await listUndecidedProposals(db, now, MOST_PROPOSALS)),
  ];
  const forgotten = await countForgotten(db, undecided, now);
  return forgotten > 0 ? [cause('proposals_forgotten', { figure: forgotten })] : [];
}

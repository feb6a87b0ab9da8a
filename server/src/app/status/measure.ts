import { setTimeout as sleep } from 'node:timers/promises';
import { listNodes } from '../../modules/fleet/nodes.ts';
import { isOnline } from '../../modules/fleet/rules.ts';
import { readPaymentFigures } from '../../modules/payments/figures.ts';
import { findHold } from '../../modules/payments/hold.ts';
import { listOfferedGateways } from '../../modules/payments/offered-gateways.ts';
import { brandName, brandNameEnglish } from '../../modules/site/settings.ts';
import { secondsBetween } from '../../platform/clock.ts';
import { readFailedJobs, readJobFigures } from '../../platform/jobs.ts';
import { readRun } from '../../platform/schedule-runs.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Deps } from '../deps.ts';
import { LOOK_FOR_CAUSES } from '../watch-worker.ts';
import type { PartKind, PartState, Status, StatusPart } from './status.ts';

export type MeasureDeps = Pick<Deps, 'db' | 'clock' | 'gateways' | 'watch'>;

/** The page is written also when the database answers nobody. */
const PATIENCE_MS = 5_000;
const WORKER_SILENT_SECONDS = 180;
const MAIL_LATE_SECONDS = 60;

/** How the service is, as this process sees it. `before` is what it measured last: without the database the same parts are listed. */
export async function measureStatus(deps: MeasureDeps, before: Status | undefined): Promise<Status> {
  const written_at = deps.clock.now().toISOString();
  const asked = deps.watch.state() === 'up' ? await inTime(measureDatabase(deps)) : undefined;
  if (asked) return { version: 1, written_at, database: 'up', ...asked };
  const brand = before?.brand ?? { fa: brandName.initial, en: brandNameEnglish.initial };
  const parts = (before?.parts ?? firstParts).map((known) => ({ ...known, state: withoutDatabase(known.kind) }));
  return { version: 1, written_at, brand, database: 'away', parts };
}

const part = (kind: PartKind, state: PartState, name = ''): StatusPart => ({ kind, name, state });
const firstParts: readonly StatusPart[] = [part('site', 'up'), part('account', 'down'), part('payments', 'down')];

/** This process runs, so pages stand; nobody signs in, pays or gets a mail. Servers go on for a while, unseen. */
function withoutDatabase(kind: PartKind): PartState {
  if (kind === 'site') return 'up';
  return kind === 'country' || kind === 'gateway' ? 'unknown' : 'down';
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const patience = sleep(PATIENCE_MS, undefined, { ref: false });
  return await Promise.race([work.catch(() => undefined), patience]);
}

async function measureDatabase(deps: MeasureDeps): Promise<Pick<Status, 'brand' | 'parts'>> {
  const { db, clock } = deps;
  const now = clock.now();
  const brand = { fa: await getSetting(db, brandName), en: await getSetting(db, brandNameEnglish) };
  const ran = await readRun(db, LOOK_FOR_CAUSES);
  // Before the first time nothing is known.
  const isWorking = ran && secondsBetween(ran, now) <= WORKER_SILENT_SECONDS;
  const byWorker = (state: PartState) => (ran === undefined ? 'unknown' : state);
  return {
    brand,
    parts: [
      part('site', 'up'),
      part('account', 'up'),
      ...(await measurePayments(deps, now)),
      part('mail', byWorker(isWorking ? await measureMail(deps) : 'down')),
      part('usage', byWorker(isWorking ? 'up' : 'degraded')),
      ...(await measureCountries(deps, now)),
    ],
  };
}

/** A gateway that nobody used in the last ten minutes is not known to work. */
async function measurePayments(deps: MeasureDeps, now: Date): Promise<StatusPart[]> {
  if (await findHold(deps.db)) return [part('payments', 'down')];
  const offered = await listOfferedGateways(deps);
  if (offered.length === 0) return [part('payments', 'down')];
  const { calls } = await readPaymentFigures(deps.db, now);
  const states = offered.map(({ name }) => part('gateway', gatewayState(calls.get(name)), name));
  return [part('payments', wholeOf(states.map(({ state }) => state))), ...states];
}

function wholeOf(states: readonly PartState[]): PartState {
  const known = states.filter((state) => state !== 'unknown');
  if (known.length === 0) return 'unknown';
  if (known.every((state) => state === 'up')) return 'up';
  return known.length === states.length && known.every((state) => state === 'down') ? 'down' : 'degraded';
}

function gatewayState(calls: { readonly calls: number; readonly unanswered: number } | undefined): PartState {
  if (!calls || calls.calls === 0) return 'unknown';
  if (calls.unanswered * 2 >= calls.calls) return 'down';
  return calls.unanswered * 5 >= calls.calls ? 'degraded' : 'up';
}

async function measureMail({ db }: MeasureDeps): Promise<PartState> {
  const { oldestSeconds } = await readJobFigures(db);
  const failed = await readFailedJobs(db);
  return oldestSeconds > MAIL_LATE_SECONDS || failed.some(({ name }) => name === 'mail.send') ? 'degraded' : 'up';
}

/** By country only: up if each of its servers reports, down if none does. */
async function measureCountries({ db }: MeasureDeps, now: Date): Promise<StatusPart[]> {
  const used = (await listNodes(db)).filter(
    ({ status, seen_at }) => status !== 'revoked' && status !== 'inactive' && seen_at,
  );
  const countries = [...new Set(used.map(({ country }) => country))].sort();
  return countries.map((country) => {
    const servers = used.filter((node) => node.country === country);
    const online = servers.filter((node) => isOnline(node, now)).length;
    return part('country', online === servers.length ? 'up' : online === 0 ? 'down' : 'degraded', country);
  });
}

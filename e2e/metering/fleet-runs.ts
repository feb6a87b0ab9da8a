import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { devicesOf, expectHonest, planOf, runInMemory, type Size } from './fleet-plans.ts';

/** Sums over many fleets, in bytes; each fleet was checked by `expectHonest`. */
export interface Runs {
  readonly passed: number;
  readonly lost: number;
  readonly naiveError: number;
  readonly reports: number;
}

interface Share {
  readonly size: Size;
  readonly tomanPerDollar: number;
  readonly seeds: readonly number[];
}

/** Runs seeds 1 to `seeds`, a share on each processor. Fails with the first wrong bill. */
export async function runFleets(seeds: number, size: Size, tomanPerDollar: number): Promise<Runs> {
  const threads = Math.min(availableParallelism(), seeds);
  const shares = Array.from({ length: threads }, (_, thread) => ({
    ...{ size, tomanPerDollar },
    seeds: Array.from({ length: seeds }, (_, index) => index + 1).filter((seed) => seed % threads === thread),
  }));
  return (await Promise.all(shares.map(runApart))).reduce(addRuns);
}

function runApart(share: Share): Promise<Runs> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: share, execArgv: [] });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

async function runShare({ size, tomanPerDollar, seeds }: Share): Promise<Runs> {
  const devices = devicesOf(size);
  let sums: Runs = { passed: 0, lost: 0, naiveError: 0, reports: 0 };
  for (const seed of seeds) {
    const plan = planOf(seed, devices, size);
    const outcome = await runInMemory(plan, size, tomanPerDollar);
    sums = addRuns(sums, { ...expectHonest(plan, outcome), reports: outcome.reports });
  }
  return sums;
}

function addRuns(one: Runs, other: Runs): Runs {
  return {
    ...{ passed: one.passed + other.passed, lost: one.lost + other.lost },
    ...{ naiveError: one.naiveError + other.naiveError, reports: one.reports + other.reports },
  };
}

if (!isMainThread && isShare(workerData)) parentPort?.postMessage(await runShare(workerData));

/** Tests run in threads, too. */
function isShare(data: unknown): data is Share {
  return typeof data === 'object' && data !== null && 'seeds' in data && 'tomanPerDollar' in data;
}

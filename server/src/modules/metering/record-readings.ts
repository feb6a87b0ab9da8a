import type { Sample } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { applyReadings, type ReadingRow, switchEpoch } from './tables.ts';

export type Reading = ReadingRow;

/**
 * Applies the samples of one report: per config and epoch the highest total counts, so that repeats, reordering and
 * splitting change nothing (a max is idempotent, commutative and associative). Samples for configs of other nodes are
 * left out. Duplicates within one report are merged first.
 */
export async function recordReadings(
  tx: Tx,
  report: { nodeId: string; epoch: string; samples: readonly Sample[]; ageMs: number },
  now: Date,
): Promise<Reading[]> {
  const samples = mergeDuplicates(report.samples);
  if (samples.length === 0) return [];
  const readings = await applyReadings(tx, report.nodeId, report.epoch, samples, now, report.ageMs);
  if (readings.length === samples.length) return readings;
  // Some meters were last read in another epoch (or belong to another node): move ours over and read those again.
  const done = new Set(readings.map((reading) => reading.config_id));
  const missing = samples.filter((sample) => !done.has(sample.config));
  await switchEpoch(
    tx,
    report.nodeId,
    report.epoch,
    missing.map((sample) => sample.config),
  );
  return [...readings, ...(await applyReadings(tx, report.nodeId, report.epoch, missing, now, report.ageMs))];
}

function mergeDuplicates(samples: readonly Sample[]): Sample[] {
  const byConfig = new Map<string, Sample>();
  for (const sample of samples) {
    const known = byConfig.get(sample.config);
    byConfig.set(
      sample.config,
      known
        ? {
            config: sample.config,
            up: Math.max(known.up, sample.up),
            down: Math.max(known.down, sample.down),
            leaseVersion: Math.max(known.leaseVersion, sample.leaseVersion),
            final: Boolean(known.final || sample.final),
          }
        : sample,
    );
  }
  return [...byConfig.values()];
}

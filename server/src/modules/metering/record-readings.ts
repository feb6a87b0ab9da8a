import type { Sample } from '@raha/contract/node/protocol.ts';
import type { Tx } from '../../platform/database.ts';
import { applyReadings, hasForeign, type ReadingRow, type Readings, switchEpoch } from './tables.ts';

export type Reading = ReadingRow;

/**
 * Applies the samples of one report. Per config and epoch the highest total counts, so repeats, reordering and
 * splitting change nothing (a maximum is idempotent, commutative and associative). Duplicates within a report are
 * merged first; samples for configs of other nodes are skipped. Returns the meters that need more work, the total bytes
 * billed, and whether samples of other nodes' configs were present.
 */
export async function recordReadings(
  tx: Tx,
  report: Readings & { samples: readonly Sample[] },
  now: Date,
): Promise<{ readings: Reading[]; billedBytes: bigint; hasForeign: boolean }> {
  const samples = mergeDuplicates(report.samples);
  if (samples.length === 0) return { readings: [], billedBytes: 0n, hasForeign: false };
  const { applied, billedBytes, rows } = await applyReadings(tx, report, samples, now);
  if (applied === samples.length) return { readings: rows, billedBytes, hasForeign: false };
  // Some meters were last read in another epoch or belong to another node. Move ours to this epoch and apply their
  // samples again.
  const ids = samples.map((sample) => sample.config);
  const moved = await switchEpoch(tx, report.nodeId, report.epoch, ids);
  const missing = samples.filter((sample) => moved.has(sample.config));
  const late = missing.length === 0 ? undefined : await applyReadings(tx, report, missing, now);
  const isShort = applied + (late?.applied ?? 0) < samples.length;
  return {
    readings: [...rows, ...(late?.rows ?? [])],
    billedBytes: billedBytes + (late?.billedBytes ?? 0n),
    hasForeign: isShort && (await hasForeign(tx, report.nodeId, ids)),
  };
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

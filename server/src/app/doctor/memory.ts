import { type Finding, warning } from './finding.ts';

/** Of a database so many times as large, most pages are copied from the system's cache, or read, each time. */
const TIMES = 10;

/** Whether PostgreSQL keeps enough of its pages in memory for the database it has. Debian's keeps 128 MB at first. */
export function adviseMemory(facts: { readonly databaseBytes: number; readonly bufferBytes: number }): Finding[] {
  if (facts.databaseBytes <= TIMES * facts.bufferBytes) return [];
  const size = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`;
  return [
    warning(
      `The database has ${size(facts.databaseBytes)}, and PostgreSQL keeps ${size(facts.bufferBytes)} of its pages in memory: ` +
        "set shared_buffers to a quarter of its machine's memory (docs/operations.md).",
    ),
  ];
}

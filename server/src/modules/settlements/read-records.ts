/** Comma-separated values (RFC 4180) as spreadsheets and panels write them, with any of the usual separators. */

export const SEPARATORS = [',', ';', '\t', '|'] as const;

export interface RecordRow {
  /** Line of the file at which it begins; the first is 1. */
  readonly number: number;
  /** Undefined: a quote that never ends. */
  readonly fields: readonly string[] | undefined;
  readonly raw: string;
}

/** A quoted field may contain this many line breaks; after that a quote is taken for a mistake of its own line. */
const MAX_BREAKS = 4;

/** Every line of the text that is not empty, in records. No line is lost: a broken quote costs its own line only. */
export function readRecords(lines: readonly string[], separator: string): RecordRow[] {
  const records: RecordRow[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let raw = lines[at] ?? '';
    if (raw.trim() === '') continue;
    const number = at + 1;
    let fields = splitFields(raw, separator);
    for (let more = 1; fields === undefined && more <= MAX_BREAKS && at + more < lines.length; more += 1) {
      const joined = lines.slice(at, at + more + 1).join('\n');
      fields = splitFields(joined, separator);
      if (fields === undefined) continue;
      raw = joined;
      at += more;
    }
    if (fields?.every((field) => field === '')) continue;
    records.push({ number, fields, raw });
  }
  return records;
}

function splitFields(text: string, separator: string): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const start = at;
    while (text[at] === ' ') at += 1;
    if (text[at] !== '"') {
      const end = text.indexOf(separator, start);
      fields.push(text.slice(start, end < 0 ? undefined : end).trim());
      if (end < 0) return fields;
      at = end + 1;
      continue;
    }
    let value = '';
    for (at += 1; ; ) {
      const quote = text.indexOf('"', at);
      if (quote < 0) return undefined;
      value += text.slice(at, quote);
      at = quote + 1;
      if (text[at] !== '"') break;
      value += '"';
      at += 1;
    }
    fields.push(value.trim());
    while (text[at] === ' ') at += 1;
    if (at >= text.length) return fields;
    if (text[at] !== separator) return undefined;
    at += 1;
  }
  return fields;
}

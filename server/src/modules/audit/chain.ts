import { createHmac } from 'node:crypto';

export interface AuditEntry {
  readonly number: bigint;
  readonly at: Date;
  readonly actor_kind: 'command-line' | 'staff';
  readonly actor: string;
  readonly action: string;
  readonly target_kind: string | null;
  readonly target_id: string | null;
  readonly user_id: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
  readonly details: unknown;
  readonly changed: unknown;
}

export type ChainedEntry = AuditEntry & { readonly chain: Buffer };

/** HMAC-SHA-256 over the entry and the chain of the one before; the first entry has an empty one before it. */
export function chainOf(key: Buffer, before: Buffer, entry: AuditEntry): Buffer {
  const { number, at, details, changed } = entry;
  const { actor_kind, actor, action, target_kind, target_id, user_id, operator, reason } = entry;
  const texts = [actor_kind, actor, action, target_kind, target_id, user_id, operator, reason];
  return createHmac('sha256', key)
    .update(before)
    .update(JSON.stringify([String(number), at.toISOString(), ...texts, sorted(details), sorted(changed)]))
    .digest();
}

/**
 * The numbers of entries that are missing, or that are not what was written. `before` is the entry before the first of
 * `entries`, undefined if those begin at the first.
 */
export function findBroken(key: Buffer, entries: readonly ChainedEntry[], before?: ChainedEntry): bigint[] {
  const broken: bigint[] = [];
  let last = before;
  for (const entry of entries) {
    const expected = (last?.number ?? 0n) + 1n;
    for (let missing = expected; missing < entry.number; missing += 1n) broken.push(missing);
    // After a gap nothing is known about the entry that follows it.
    const isKnown = entry.number === expected;
    if (isKnown && !chainOf(key, last?.chain ?? Buffer.alloc(0), entry).equals(entry.chain)) broken.push(entry.number);
    last = entry;
  }
  return broken;
}

/** PostgreSQL's jsonb keeps no order of names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, item]) => [name, sorted(item)]);
}

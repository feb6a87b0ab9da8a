import type { Actor, Audit, AuditAction } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Vault } from '../../platform/sealed.ts';
import { type AuditEntry, type ChainedEntry, chainOf, findBroken } from './chain.ts';
import {
  type EntryFilter,
  type EntryScope,
  insertEntry,
  lockLastEntry,
  selectEntries,
  selectEntriesAfter,
  selectEntriesOfTargets,
  selectEntriesOfUser,
  selectEntriesOfUserBefore,
  selectLastEntries,
} from './tables.ts';

const PAGE = 1_000;

interface Deps {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly log: Log;
}

/** Writes entries. Each is logged, too, so that a copy of its chain stands outside of the database. */
export function createAudit({ clock, vault, log }: Deps): Audit {
  return {
    async record(tx: Tx, actor: Actor, action: AuditAction) {
      const last = await lockLastEntry(tx);
      const entry = entryOf((last?.number ?? 0n) + 1n, clock.now(), actor, action);
      const chain = chainOf(keyOf(vault), last?.chain ?? Buffer.alloc(0), entry);
      await insertEntry(tx, { ...entry, chain });
      const { details, changed, ...rest } = entry;
      const ids = { ...(details as object), ...rest, number: Number(entry.number) };
      log.info({ ...ids, fields: Object.keys(changed as object), chain: chain.toString('hex') }, 'operator action');
    },
  };
}

export type { EntryFilter, EntryScope };

export const listEntries = selectEntries;
export const listLastEntries = selectLastEntries;
/** What operators did about a user's account or money, newest first. */
export const listEntriesOfUser = selectEntriesOfUser;
/** Of one action, about several targets: who did it. */
export const listEntriesOfTargets = selectEntriesOfTargets;
export const listEntriesOfUserBefore = selectEntriesOfUserBefore;

/** Recomputes the whole chain. Returns how many entries there are, the number of each that is wrong, and the newest chain. */
export async function checkChain(
  db: Executor,
  vault: Vault,
): Promise<{ readonly entries: number; readonly broken: readonly bigint[]; readonly newest: string | undefined }> {
  const key = keyOf(vault);
  const broken: bigint[] = [];
  let entries = 0;
  let last: ChainedEntry | undefined;
  for (;;) {
    const page = await selectEntriesAfter(db, last?.number ?? 0n, PAGE);
    broken.push(...findBroken(key, page, last));
    entries += page.length;
    last = page.at(-1) ?? last;
    if (page.length < PAGE) return { entries, broken, newest: last?.chain.toString('hex') };
  }
}

function keyOf(vault: Vault): Buffer {
  return vault.derive('audit');
}

function entryOf(number: bigint, at: Date, actor: Actor, given: AuditAction): AuditEntry {
  return {
    number,
    at,
    actor_kind: actor.kind,
    actor: actor.kind === 'staff' ? actor.userId : actor.systemUser,
    action: given.action,
    target_kind: given.target?.kind ?? null,
    target_id: given.target?.id ?? null,
    user_id: given.userId ?? (given.target?.kind === 'user' ? given.target.id : null),
    operator: given.operator ?? null,
    reason: given.reason ?? null,
    details: { ...(actor.kind === 'staff' && actor.tokenId ? { token: actor.tokenId } : {}), ...given.details },
    changed: given.changed ?? {},
  };
}

import { type ProposedCards, proposedCards } from '@raha/contract/admin/approvals.ts';
import type { Actor, Audit, StaffActor } from '../../platform/audit.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { type Approved, proposeAct } from '../staff/approvals.ts';
import { holdPermission } from '../staff/standing.ts';
import { insertIssued } from './issue-cards.ts';
import { cardsAlone } from './settings.ts';
import { type Allowed, lockAlone, selectApproved, sumAlone } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly audit: Audit;
}

interface BatchRequest {
  readonly actor: StaffActor;
  readonly cards: ProposedCards;
  readonly reason: string;
  /** Sent again, it does nothing and gets the same answer. */
  readonly idempotent?: IdempotentRequest | undefined;
}

/** Issued, with the id of the batch, or proposed, with that of the proposal. */
export interface RequestedBatch {
  readonly outcome: 'done' | 'proposed';
  readonly id: string;
}

/** In which what members issue without a second one is added up. */
const ALONE_DAYS = 30;

/**
 * A member issues a batch, whose codes stay sealed until their export. Up to `approvals.cardsUsdCents` in 30 days, by all members
 * together, it is done at once; beyond, it is proposed to a second one. Refuses `forbidden`, and `invalid_input` for an end that is over.
 */
export async function requestBatch(deps: Deps, request: BatchRequest): Promise<RequestedBatch> {
  const { actor, cards, reason, idempotent } = request;
  return await runIdempotently(deps.db, idempotent, () =>
    inTransaction(deps.db, async (tx) => {
      const earlier = await claimKey<RequestedBatch>(tx, idempotent, deps.clock.now());
      if (earlier) return earlier;
      await holdPermission(tx, actor, 'cards.manage');
      if (isOver(cards, deps.clock)) throw new Refusal('invalid_input', { fields: { expires: 'invalid' } });
      await lockAlone(tx);
      const { leftUsdCents, limitUsdCents } = await readAlone(tx, deps.clock);
      const aloneUsdCents = BigInt(cards.count * cards.usd_cents);
      const allowed = { aloneUsdCents, limitUsdCents };
      const requested: RequestedBatch =
        aloneUsdCents <= leftUsdCents
          ? { outcome: 'done', id: await issue(tx, deps, { actor, cards, reason, allowed }) }
          : { outcome: 'proposed', id: await propose(tx, deps, request) };
      await storeAnswer(tx, idempotent, requested);
      return requested;
    }),
  );
}

/** The limit of members without a second one, and what of it is left now. */
export async function readAlone(
  db: Executor,
  clock: Clock,
): Promise<{ readonly leftUsdCents: bigint; readonly limitUsdCents: bigint }> {
  const limitUsdCents = BigInt(await getSetting(db, cardsAlone));
  const left = limitUsdCents - (await sumAlone(db, addDays(clock.now(), -ALONE_DAYS)));
  return { leftUsdCents: left > 0n ? left : 0n, limitUsdCents };
}

/** Issues what was approved, in the transaction of the approval. Refuses `approval_stale` when the end of the cards is over by now. */
export async function issueApproved(tx: Tx, deps: Deps, approved: Approved): Promise<void> {
  const { actor, payload, reason, details, approvalId } = approved;
  const cards = proposedCards.parse(payload);
  if (isOver(cards, deps.clock)) throw new Refusal('approval_stale');
  await issue(tx, deps, { actor, cards, reason, details, allowed: { approvalId } });
}

/** What approvals led to: the batch by the approval. */
export async function findApprovedBatches(
  db: Executor,
  approvalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = approvalIds.length === 0 ? [] : await selectApproved(db, approvalIds);
  return new Map(rows.map(({ id, approval_id }) => [approval_id, id]));
}

async function propose(tx: Tx, deps: Deps, { actor, cards, reason }: BatchRequest): Promise<string> {
  const details = { count: cards.count, usdCents: cards.usd_cents, expires: cards.expires };
  return await proposeAct(tx, deps, { actor, act: 'cards', payload: cards, reason, details });
}

interface Issue {
  readonly actor: Actor;
  readonly cards: ProposedCards;
  readonly reason: string;
  readonly allowed: Allowed;
  readonly details?: Approved['details'];
}

async function issue(tx: Tx, deps: Deps, { actor, cards, reason, allowed, details }: Issue): Promise<string> {
  const { count, usd_cents: usdCents, note, expires } = cards;
  const expiresAt = expires === null ? undefined : new Date(expires);
  const order = { count, usdCents, note, expiresAt, keepForExport: true, allowed };
  const { batchId } = await insertIssued(tx, deps, order);
  const target = { kind: 'batch', id: batchId } as const;
  const about = { count, usdCents, expires, ...details };
  await deps.audit.record(tx, actor, { action: 'gift-cards.issue', target, reason, details: about });
  return batchId;
}

function isOver({ expires }: ProposedCards, clock: Clock): boolean {
  return expires !== null && new Date(expires) <= clock.now();
}

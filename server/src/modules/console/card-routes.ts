import type { CardBatch, CardLine, cardCalls, StoreLine } from '@raha/contract/admin/gift-cards.ts';
import { batchName } from '@raha/contract/admin/gift-cards.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database.ts';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getUsers } from '../accounts/users.ts';
import { listEntriesOfTargets } from '../audit/audit.ts';
import { checkCode } from '../gift-cards/check-code.ts';
import { expireCards } from '../gift-cards/expire-cards.ts';
import {
  type BatchLine,
  type DeskCard,
  findBatch,
  findCard,
  outstandingUsdCents,
  pageBatches,
  pageCards,
} from '../gift-cards/list-cards.ts';
import { readAlone, requestBatch } from '../gift-cards/request-batch.ts';
import { describeStores, type StoreDeps } from '../gift-cards/visit-store.ts';
import { voidCards } from '../gift-cards/void-cards.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { findAloneHours } from '../staff/second-member.ts';
import { holdPermission } from '../staff/standing.ts';
import { refusing } from './refusing.ts';
import { remember } from './remember.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly audit: Audit;
  readonly minuteLimit: MinuteLimit;
  readonly stores: StoreDeps['stores'];
}

/** What can still be redeemed is counted over all cards, so it is read once for all who look within so many seconds. */
const OUTSTANDING = 10;

/** Gift cards, and what an operator does with them through the use cases of the command line. No answer has a code. */
export function cardRoutes(deps: Deps): AdminHandlers<typeof cardCalls> {
  const { db, clock } = deps;
  const outstanding = remember(clock, OUTSTANDING, () => outstandingUsdCents(db, clock.now()));
  const change = async <T>(act: () => Promise<T>): Promise<T> => {
    const done = await refusing(({ kind }) => (kind === 'invalid' ? 'invalid_input' : 'cards_unchanged'), act);
    outstanding.forget();
    return done;
  };
  return {
    async listCardBatches({ caller, query: { before } }) {
      const { rows, next } = await pageBatches(db, before, clock.now());
      const { cards, usdCents } = (await outstanding.read()).value;
      const { leftUsdCents } = await readAlone(db, clock);
      const hours = await findAloneHours(db, actorOf(caller), 'cards.manage');
      return {
        success: true,
        data: {
          batches: await describeBatches(db, rows),
          next,
          outstanding: { cards, usd_cents: Number(usdCents) },
          alone: { usd_cents: Number(leftUsdCents), hours: hours ?? null },
        },
      };
    },
    async getCardBatch({ params: { id }, query: { after } }) {
      const row = await findBatch(db, id, clock.now());
      if (!row) throw new Refusal('not_found');
      const [batch] = await describeBatches(db, [row]);
      const { rows, next } = await pageCards(db, { batchId: id, after }, clock.now());
      return { success: true, data: { batch: batch as CardBatch, cards: rows.map(describeCard), next } };
    },
    async listCardStores({ locale }) {
      const { days, stores } = await describeStores(deps);
      return { success: true, data: { days, stores: stores.map((each) => storeLine(each, locale)) } };
    },
    async checkCardCode({ caller, body: { code } }) {
      deps.minuteLimit.take(`gift card check ${caller.userId}`, staffLimits.cards.checksPerMinute);
      const { outcome, card } = await checkCode(deps, { actor: actorOf(caller), typed: code });
      return {
        success: true,
        data: { outcome, card: card ? { ...describeCard(card), batch: card.batch_id } : null },
      };
    },
    async issueCards({ caller, body, request }) {
      const { reason, expires = null, ...cards } = body;
      const idempotent = idempotentRequestOf(request, caller.userId, body);
      const order = { actor: actorOf(caller), reason, cards: { ...cards, expires }, idempotent };
      return { success: true, data: await change(() => requestBatch(deps, order)) };
    },
    async voidCardBatch({ caller, params: { id }, body: { name, reason } }) {
      if (name !== batchName({ id })) throw new Refusal('cards_name_differs');
      const cards = await change(() => voidCards(deps, { ...orderOf(caller, reason), which: { batchId: id } }));
      return { success: true, data: { cards } };
    },
    async voidCard({ caller, params: { id }, body: { last4, reason } }) {
      const card = await findCard(db, id, clock.now());
      if (!card) throw new Refusal('not_found');
      if (last4 !== card.last4) throw new Refusal('cards_name_differs');
      await change(() => voidCards(deps, { ...orderOf(caller, reason), which: { cardId: id } }));
      return { success: true };
    },
    async expireCardBatch({ caller, params: { id }, body: { at, reason } }) {
      const end = at === undefined ? clock.now() : new Date(at);
      if (at !== undefined && end <= clock.now()) throw new Refusal('invalid_input', { fields: { at: 'invalid' } });
      const cards = await change(() => expireCards(deps, { ...orderOf(caller, reason), batchId: id, at: end }));
      return { success: true, data: { cards } };
    },
  };
}

function orderOf(caller: StaffCaller, reason: string) {
  const actor = actorOf(caller);
  return { actor, reason, mustChange: true, stillMay: (tx: Tx) => holdPermission(tx, actor, 'cards.manage') };
}

/** Who made a batch is known from the audit. */
async function describeBatches(db: Database, rows: readonly BatchLine[]): Promise<CardBatch[]> {
  const issued = { kind: 'batch', ids: rows.map(({ id }) => id), action: 'gift-cards.issue' };
  const entries = (await listEntriesOfTargets(db, issued)).filter((entry) => entry.actor_kind === 'staff');
  const users = await getUsers(db, [...new Set(entries.map(({ actor }) => actor))]);
  const makers = new Map(entries.map(({ target_id, actor }) => [target_id, users.get(actor)?.email ?? actor]));
  return rows.map((row) => ({
    ...{ id: row.id, note: row.note, created_at: row.created_at.toISOString(), by: makers.get(row.id) ?? null },
    codes: row.exportable ? 'waiting' : row.exported_at ? 'exported' : 'shown',
    exported_at: row.exported_at?.toISOString() ?? null,
    ...{ cards: Number(row.cards), active: Number(row.active), redeemed: Number(row.redeemed) },
    ...{ void: Number(row.void), expired: Number(row.expired), usd_cents: Number(row.face_usd_cents) },
    ...{ outstanding_usd_cents: Number(row.outstanding_usd_cents), credited: toWire(row.credited_toman) },
  }));
}

type Described = Awaited<ReturnType<typeof describeStores>>['stores'][number];

function storeLine({ store, counts, refused }: Described, locale: Locale): StoreLine {
  return {
    ...{ name: store.title[locale], test: store.test },
    ...{ visits: Number(counts?.visits ?? 0), paid: Number(counts?.paid ?? 0) },
    ...{ redeemed: Number(counts?.redeemed ?? 0), without_card: Number(counts?.without_card ?? 0) },
    last_paid_at: counts?.last_paid_at?.toISOString() ?? null,
    refused: refused.map(({ reason, count, last_at }) => ({
      ...{ reason, count: Number(count), last_at: last_at.toISOString() },
    })),
  };
}

function describeCard(card: DeskCard): CardLine {
  return {
    ...{ id: card.id, last4: card.last4, state: card.status, usd_cents: card.face_usd_cents },
    expires_at: card.expires_at?.toISOString() ?? null,
    redeemed_at: card.redeemed_at?.toISOString() ?? null,
    voided_at: card.voided_at?.toISOString() ?? null,
    credited: card.credited_toman === null ? null : toWire(card.credited_toman),
  };
}

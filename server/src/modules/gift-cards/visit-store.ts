import type { WebhookRefusal } from '@raha/contract/admin/gift-cards.ts';
import { limits } from '@raha/contract/limits.ts';
import type { redirectStates } from '@raha/contract/public/stores.ts';
import type { Bus } from '../../platform/bus.ts';
import { addDays, addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { firstIdOf, isId, newId, newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { accountChanged } from '../accounts/signals.ts';
import { lockUser, type User } from '../accounts/users.ts';
import { requireActive } from '../sessions/caller.ts';
import { readGiftCode, showGiftCode } from './code.ts';
import { giftCodeHmac } from './issue-cards.ts';
import type { GiftCardStore, WebhookMessage } from './store.ts';
import { decideVisit, returnUrlOf } from './store-rules.ts';
import {
  countRefusal,
  countRefusals,
  countVisits,
  insertVisit,
  insertWebhook,
  lockVisit,
  selectOwnVisit,
  selectVisits,
  updatePaid,
  type VisitRow,
} from './store-tables.ts';
import { isCardRedeemed, selectCardFor } from './tables.ts';

export interface StoreDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly bus: Bus;
  readonly log: Log;
  readonly publicUrl: string;
  readonly stores: ReadonlyMap<string, GiftCardStore>;
}

export interface VisitRequest {
  readonly slug: string;
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
  readonly returnUrl?: string | undefined;
  readonly requestId?: string | undefined;
  /** The client missed the earlier answer and asks for the plain address. */
  readonly isFallback: boolean;
}

/**
 * Sends a user to a store: returns a signed address, valid once and for ten minutes. Refuses `store_not_found`,
 * `store_too_soon` (with the seconds to wait), `forbidden` for another user's id or e-mail, and a return address that
 * is not ours.
 */
export async function visitStore(
  deps: StoreDeps,
  user: User,
  request: VisitRequest,
): Promise<{ id: string; url: string }> {
  const store = storeOf(deps, request.slug);
  const foreign =
    (request.userId !== undefined && request.userId !== user.id) ||
    (request.email !== undefined && request.email.toLowerCase() !== user.email);
  if (foreign) throw new Refusal('forbidden');
  const returnUrl = returnUrlOf(deps.publicUrl, request.returnUrl, store.slug);
  if (!returnUrl) throw new Refusal('invalid_input', { fields: { return_url: 'invalid' } });
  const now = deps.clock.now();
  return await inTransaction(deps.db, async (tx) => {
    requireActive(await lockUser(tx, user.id));
    const earlier = await selectVisits(tx, user.id, store.slug, addSeconds(now, -3600));
    const decision = decideVisit(earlier.map(toVisit), request, now);
    if (decision.kind === 'wait') {
      const { seconds } = decision;
      throw new Refusal('store_too_soon', { details: { seconds }, retryAfterSeconds: seconds });
    }
    const repeated = decision.kind === 'repeat' && earlier.find((visit) => visit.id === decision.id);
    if (repeated && repeated.redirect_url_sealed !== null)
      return { id: repeated.id, url: deps.vault.open(repeated.redirect_url_sealed, addressContext(repeated.id)) };
    const id = newId(now);
    const nonce = newSecret();
    const expiresAt = addSeconds(now, limits.store.addressLifetimeSeconds);
    const url = store.redirectUrl({ ref: id, userId: user.id, email: user.email, returnUrl, nonce, expiresAt });
    const sealed = deps.vault.seal(url, addressContext(id));
    const row = { id, user_id: user.id, store: store.slug, redirect_url_sealed: sealed, expires_at: expiresAt };
    await insertVisit(tx, { ...row, request_id: request.requestId ?? null, nonce }, now);
    return { id, url };
  });
}

export interface Visit {
  readonly id: string;
  readonly store: string;
  readonly status: (typeof redirectStates)[number];
  readonly giftCode: string | undefined;
  readonly redirectUrl: string | undefined;
  readonly createdAt: Date;
}

/** The outcome of a user's own visit. Refuses `not_found`. */
export async function getVisit(deps: StoreDeps, userId: string, id: string): Promise<Visit> {
  const row = await selectOwnVisit(deps.db, userId, id);
  if (!row) throw new Refusal('not_found');
  const isRedeemed = row.card_id !== null && (await isCardRedeemed(deps.db, row.card_id));
  const isOver = row.expires_at.getTime() <= deps.clock.now().getTime();
  const status = isRedeemed ? 'redeemed' : row.paid_at ? 'paid' : isOver ? 'expired' : 'open';
  const code = status === 'paid' ? row.code_sealed : null;
  const address = status === 'open' ? row.redirect_url_sealed : null;
  return {
    id: row.id,
    store: row.store,
    status,
    giftCode: code === null ? undefined : deps.vault.open(code, codeContext(row.id)),
    redirectUrl: address === null ? undefined : deps.vault.open(address, addressContext(row.id)),
    createdAt: row.created_at,
  };
}

/**
 * Processes a store's webhook that a card was bought. Refuses `webhook_refused` unless the store signed it within five
 * minutes, and `webhook_unusable`, so that the store sends it again, if the visit is unknown or the code cannot be
 * redeemed. The same webhook again changes nothing. The code is kept, sealed, in case the browser does not come back;
 * nothing is credited until it is redeemed.
 */
export async function receiveStoreWebhook(
  deps: StoreDeps,
  slug: string,
  message: WebhookMessage,
  event: { type: string; data: Order },
): Promise<void> {
  const now = deps.clock.now();
  const reading = storeOf(deps, slug).readWebhook(message, now);
  if (reading.kind === 'refused') {
    deps.log.warn({ store: slug, reason: reading.reason }, 'a webhook was refused');
    await countRefusal(deps.db, slug, refusals[reading.reason], now);
    throw new Refusal('webhook_refused');
  }
  if (event.type !== 'order.paid') return;
  // What is known of an unusable order is kept: the refusal follows the commit.
  const { webhookId } = reading;
  const isUsable = await inTransaction(deps.db, (tx) => keepOrder(tx, deps, { slug, webhookId, ...event.data }, now));
  if (!isUsable) throw new Refusal('webhook_unusable');
}

const refusals = {
  unsigned: 'unsigned',
  'too old': 'too_old',
  'wrong signature': 'wrong_signature',
} as const satisfies Readonly<Record<string, WebhookRefusal>>;

interface Order {
  readonly ref: string;
  readonly order_id: string;
  readonly gift_code: string;
}

/** False if the store has to send the webhook again: the visit is unknown, or its buyer cannot redeem the code. */
async function keepOrder(
  tx: Tx,
  deps: StoreDeps,
  order: Order & { readonly slug: string; readonly webhookId: string },
  now: Date,
): Promise<boolean> {
  const { slug: store } = order;
  const visit = isId(order.ref) ? await lockVisit(tx, store, order.ref) : undefined;
  if (!visit) {
    deps.log.error({ store }, 'a store sold a code on a visit that is not known');
    await countRefusal(tx, store, 'unknown_visit', now);
    return false;
  }
  if (visit.card_id !== null) return await repeated(tx, store, now);
  const code = readGiftCode(order.gift_code);
  const card = code ? await selectCardFor(tx, giftCodeHmac(deps.vault, code), visit.user_id, now) : undefined;
  if (!card) {
    deps.log.error({ store, visit: visit.id }, 'a store sold a code that cannot be redeemed');
    await countRefusal(tx, store, 'unusable_code', now);
  }
  if (!card && visit.paid_at) return false;
  if (card && !(await insertWebhook(tx, store, order.webhookId, now))) return await repeated(tx, store, now);
  const codeSealed = card && code ? deps.vault.seal(showGiftCode(code), codeContext(visit.id)) : null;
  await updatePaid(tx, visit.id, { orderId: order.order_id, cardId: card?.id ?? null, codeSealed }, now);
  await deps.bus.announce(tx, accountChanged, { userId: visit.user_id });
  return card !== undefined;
}

/** A webhook that came before is answered as the first time. */
async function repeated(tx: Tx, store: string, now: Date): Promise<true> {
  await countRefusal(tx, store, 'repeated', now);
  return true;
}

/** For staff: every store that is on, and what became of visits to it as long as those without a payment are kept. */
export async function describeStores({ db, clock, stores }: Pick<StoreDeps, 'db' | 'clock' | 'stores'>) {
  const days = limits.keptDays.storeVisits;
  const since = addDays(clock.now(), -days);
  const counts = new Map((await countVisits(db, firstIdOf(since))).map((row) => [row.store, row]));
  const refused = await countRefusals(db, since);
  return {
    days,
    stores: [...stores.values()].map((store) => ({
      store,
      counts: counts.get(store.slug),
      refused: refused.filter((row) => row.store === store.slug),
    })),
  };
}

function storeOf(deps: StoreDeps, slug: string): GiftCardStore {
  const store = deps.stores.get(slug);
  if (!store) throw new Refusal('store_not_found');
  return store;
}

function toVisit(row: VisitRow) {
  return { id: row.id, requestId: row.request_id, createdAt: row.created_at };
}

export function codeContext(visitId: string): string {
  return `gift_card_redirect.code_sealed ${visitId}`;
}

/** The address lets its holder buy in the user's name, and contains the e-mail address. */
export function addressContext(visitId: string): string {
  return `gift_card_redirect.redirect_url_sealed ${visitId}`;
}

import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { activateUser, completeUserProfile, findOrCreateByProvedEmail } from '../../src/modules/accounts/users.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { postTransfer } from '../../src/modules/ledger/post-transfer.ts';
import { getUserAccounts, openUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { settleRefundByHand } from '../../src/modules/payments/settle-refund.ts';
import { startPayment } from '../../src/modules/payments/start-payment.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/random.ts';
import { actor, type TestWorld } from '../world.ts';

/** What money tests do to the real product. They use no sessions, because moving the clock would expire them. */
let made = 0;

/** An active and activated user with an empty wallet; or one that a gift card has still to activate. */
export async function makeUser(
  world: TestWorld,
  address?: string,
  isActivated = true,
): Promise<{ id: string; email: string }> {
  made += 1;
  const { db, clock } = world.deps;
  const email = address ?? `money${made}-${newId(clock.now()).slice(-6)}@mail.example`;
  return await inTransaction(db, async (tx) => {
    const now = clock.now();
    const { user } = await findOrCreateByProvedEmail(tx, email, now);
    await openUserAccounts(tx, user.id, now);
    await completeUserProfile(tx, world.deps.vault, user, 'آزمون', now);
    if (isActivated) await activateUser(tx, user.id, now);
    return { id: user.id, email };
  });
}

/** Each user's balance as it is shown, and what usage has cost, booked or not; read at one moment. */
export async function balancesOf(
  world: TestWorld,
  people: readonly { id: string }[],
): Promise<{ balance: number; used: number }[]> {
  const { rows } = await sql<{ balance: bigint; used: bigint }>`
    SELECT a.wallet + a.lease AS balance, (coalesce((SELECT sum(m.unbooked_toman) FROM meter m WHERE m.user_id = p.id), 0)
      - coalesce((SELECT sum(e.amount) FROM ledger_entry e JOIN ledger_transfer t ON t.id = e.transfer_id AND t.kind = 'usage'
        WHERE e.account_id = a.wallet_id), 0))::bigint AS used
    FROM unnest(${people.map(({ id }) => id)}::uuid[]) WITH ORDINALITY AS p (id, place)
    JOIN user_account a ON a.user_id = p.id ORDER BY p.place
  `.execute(world.deps.db);
  return rows.map((row) => ({ balance: Number(row.balance), used: Number(row.used) }));
}

/** Part of a transfer whose sender has confirmed it. */
export const confirmed = { confirmOwner: async () => undefined };

export async function walletOf(world: TestWorld, userId: string): Promise<number> {
  return Number((await getUserAccounts(world.deps.db, userId)).walletToman);
}

export async function charge(
  world: TestWorld,
  userId: string,
  gateway: GatewayName,
  amountToman: number,
): Promise<string> {
  return (await startPayment(world.deps, { userId, gateway, amountToman })).paymentId;
}

/** What the payer does on the bank's page. */
export async function payer(world: TestWorld, paymentId: string, says: 'PAID' | 'FAILED'): Promise<void> {
  await sql`
    UPDATE test_bank_session SET state = ${says}, paid_at = ${says === 'PAID' ? world.deps.clock.now() : null}
    WHERE order_id = ${paymentId} AND state = 'IN_BANK'
  `.execute(world.deps.db);
}

/** A correction by the operator. */
export async function adjust(world: TestWorld, userId: string, amount: number): Promise<void> {
  const now = world.deps.clock.now();
  await inTransaction(world.deps.db, async (tx) => {
    const balance = await world.deps.lockBalance(tx, userId);
    const movements = [
      { accountId: balance.walletId, amountToman: BigInt(amount) },
      { accountId: house.adjustment, amountToman: BigInt(-amount) },
    ];
    const cause = { kind: 'adjustment', sourceType: 'test', sourceId: newId(now), purpose: 'adjust' } as const;
    await balance.spend(BigInt(-amount), () => postTransfer(tx, { ...cause, movements }, now));
  });
}

/**
 * What the operator does about refunds with an unknown outcome, when the answer was lost and the bank has no call to query
 * it: looks into the bank's own books.
 */
export async function lookIntoRefunds(world: TestWorld): Promise<void> {
  const { rows } = await sql<{ id: string; gateway: GatewayName; is_back: boolean }>`
    SELECT r.id, r.gateway, s.state = 'REVERSED' AS is_back FROM refund r
    JOIN payment p ON p.id = r.payment_id JOIN test_bank_session s ON s.reference = p.gateway_reference
    WHERE r.state = 'unknown'
  `.execute(world.deps.db);
  for (const { id, gateway, is_back } of rows) {
    if (gateway !== 'nextpay') throw new Error(`${gateway} can be queried for refund ${id}`);
    const outcome = is_back ? 'confirmed' : 'failed';
    await settleRefundByHand(world.deps, { refundId: id, actor, outcome, operator: 'tests' });
  }
}

/**
 * Compares the banks' own books with ours: a payment that a bank holds as verified is credited; one that was returned or
 * never paid is not. Returns the payments that disagree.
 */
export async function compareWithBanks(world: TestWorld): Promise<unknown[]> {
  const { rows } = await sql`
    SELECT p.id, p.gateway, p.state, s.state AS bank, v.payment_id IS NOT NULL AS reversed,
      (SELECT json_agg(json_build_object('state', state, 'failure', failure, 'checks', checks)) FROM refund
        WHERE payment_id = p.id) AS refunds
    FROM payment p
    LEFT JOIN test_bank_session s ON s.reference = p.gateway_reference
    LEFT JOIN refund r ON r.payment_id = p.id AND r.state = 'confirmed'
    LEFT JOIN payment_reversal v ON v.payment_id = p.id
    WHERE (p.state = 'completed') <> coalesce(
      s.state = 'VERIFIED' OR (s.state = 'REVERSED' AND (r.id IS NOT NULL OR v.payment_id IS NOT NULL)), false)
  `.execute(world.deps.db);
  return rows;
}

export const gateways = paymentGateways;

/** A small seeded generator, so that a failure can be reproduced. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

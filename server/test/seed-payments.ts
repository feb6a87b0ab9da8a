import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { gatewayClearing, house } from '../src/modules/ledger/house.ts';
import { postTransfer } from '../src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../src/modules/ledger/user-accounts.ts';
import { inTransaction } from '../src/platform/database.ts';
import { newId } from '../src/platform/random.ts';
import { seedDocuments } from './seed-documents.ts';
import type { TestWorld } from './world.ts';

export interface SeededPayment {
  readonly id: string;
  readonly reference: string;
  readonly session: string;
  readonly amountToman: bigint;
  readonly at: Date;
}

let seeded = 0;

/** Credited payments of a user, written at once with their transfers, as the use cases would have left them. */
export async function seedPayments(
  { deps }: Pick<TestWorld, 'deps'>,
  userId: string,
  gateway: GatewayName,
  wanted: readonly { readonly amountToman: bigint; readonly at: Date }[],
): Promise<SeededPayment[]> {
  const now = deps.clock.now();
  const payments = wanted.map(({ amountToman, at }) => {
    seeded += 1;
    const digits = String(seeded).padStart(11, '0');
    return { id: newId(now), transfer: newId(now), reference: `7${digits}`, session: `S${digits}`, amountToman, at };
  });
  const uuids = (of: 'id' | 'transfer') => payments.map((payment) => payment[of]);
  const sums = payments.map(({ amountToman }) => String(amountToman));
  await inTransaction(deps.db, async (tx) => {
    const { walletId } = await getUserAccounts(tx, userId);
    await sql`
      INSERT INTO payment (id, user_id, gateway, amount_toman, state, gateway_reference, ref_id, evidence, created_at, settled_at)
      SELECT id, ${userId}, ${gateway}, amount, 'completed', session, reference, '{}', at, at
      FROM unnest(${uuids('id')}::uuid[], ${sums}::bigint[], ${payments.map(({ session }) => session)}::text[],
        ${payments.map(({ reference }) => reference)}::text[], ${payments.map(({ at }) => at)}::timestamptz[])
        AS i (id, amount, session, reference, at)
    `.execute(tx);
    await sql`
      INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
      SELECT transfer, 'wallet_charge', 'payment', id::text, 'credit', ${now}
      FROM unnest(${uuids('id')}::uuid[], ${uuids('transfer')}::uuid[]) AS i (id, transfer)
    `.execute(tx);
    await sql`
      WITH moved AS MATERIALIZED (
        SELECT transfer, amount, row_number() OVER w AS nth, sum(amount) OVER w AS total
        FROM unnest(${uuids('transfer')}::uuid[], ${sums}::bigint[]) WITH ORDINALITY AS i (transfer, amount, n) WINDOW w AS (ORDER BY n)
      ), before AS MATERIALIZED (SELECT balance, version FROM ledger_account WHERE id = ${walletId} FOR UPDATE
      ), changed AS (
        UPDATE ledger_account a SET balance = b.balance + (SELECT sum(amount) FROM moved), version = b.version + (SELECT count(*) FROM moved)
        FROM before b WHERE a.id = ${walletId}
      )
      INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
      SELECT transfer, ${walletId}::uuid, amount, version + nth, balance + total FROM moved, before
      UNION ALL SELECT transfer, ${gatewayClearing[gateway]}::uuid, -amount, NULL, NULL FROM moved
    `.execute(tx);
    await seedDocuments(tx);
  });
  return payments;
}

/** A refund of a payment that has arrived. */
export async function seedRefund(
  { deps }: Pick<TestWorld, 'deps'>,
  userId: string,
  gateway: GatewayName,
  payment: SeededPayment,
  { amountToman, at }: { readonly amountToman: bigint; readonly at: Date },
): Promise<string> {
  const now = deps.clock.now();
  const id = newId(now);
  await inTransaction(deps.db, async (tx) => {
    const { walletId } = await getUserAccounts(tx, userId);
    await sql`
      INSERT INTO refund (id, payment_id, user_id, gateway, amount_toman, route, state, evidence, created_at, sent_at, settled_at)
      VALUES (${id}, ${payment.id}, ${userId}, ${gateway}, ${amountToman}, 'gateway', 'confirmed', '{}', ${at}, ${at}, ${at})
    `.execute(tx);
    const steps = [
      ['reserve', walletId, house.refundClearing],
      ['confirm', house.refundClearing, gatewayClearing[gateway]],
    ] as const;
    for (const [purpose, from, to] of steps)
      await postTransfer(
        tx,
        {
          ...{ kind: 'refund', sourceType: 'refund', sourceId: id, purpose },
          movements: [
            { accountId: from, amountToman: -amountToman },
            { accountId: to, amountToman },
          ],
        },
        now,
      );
    await seedDocuments(tx);
  });
  return id;
}

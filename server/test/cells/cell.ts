import { sql } from 'kysely';
import { findByEmail, lockUser } from '../../src/modules/accounts/users.ts';
import { postTransfer } from '../../src/modules/ledger/post-transfer.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { inTransaction, type Tx } from '../../src/platform/database.ts';
import type { TestWorld } from '../world.ts';

/**
 * A cell of decision 115: a whole Raha on a database of its own, and beside it what cells would need to pay each other. The product
 * has none of that: a house account for clearing and two tables, made here. The ledger is the product's.
 */
export interface Cell {
  readonly name: CellName;
  readonly world: TestWorld;
  /**
   * One transaction: takes the amount out of the sender's wallet and writes the row of the outbox. Asked again with the same id, it
   * changes nothing. Refuses `insufficient_balance`.
   */
  send(order: Order): Promise<void>;
  /** What has left here and has no answer yet, as messages, which may be sent as often as one likes. */
  listUnanswered(): Promise<TransferMessage[]>;
  /** One transaction: credits the recipient, or refuses; either is written down, and is the answer to every copy of the message. */
  receive(message: TransferMessage): Promise<AnswerMessage>;
  /** One transaction: the transfer has arrived, or the money goes back to the sender. The first answer counts. */
  settle(message: AnswerMessage): Promise<void>;
}

export type CellName = 'north' | 'south';

export interface Order {
  readonly id: string;
  readonly fromUserId: string;
  readonly to: CellName;
  readonly toEmail: string;
  readonly amountToman: number;
}

export interface TransferMessage extends Omit<Order, 'fromUserId'> {
  readonly kind: 'transfer';
  readonly from: CellName;
}

export interface AnswerMessage {
  readonly kind: 'answer';
  readonly id: string;
  readonly to: CellName;
  readonly outcome: Outcome;
}

export type Outcome = 'accepted' | 'refused';

/** Positive: what this cell owes the other; negative: what the other owes. */
export const CLEARING = '00000000-0000-7000-8000-000000000901';
export const SOURCE = 'cell_transfer';

export async function openCell(name: CellName, world: TestWorld): Promise<Cell> {
  const { db, clock } = world.deps;
  await sql`
    INSERT INTO ledger_account (id, kind, code, created_at) VALUES (${CLEARING}, 'house', 'cells:clearing', ${clock.now()})
  `.execute(db);
  await sql`
    CREATE TABLE cell_outbox (
      id uuid PRIMARY KEY, from_user_id uuid NOT NULL, to_cell text NOT NULL, to_email text NOT NULL, amount_toman bigint NOT NULL,
      state text NOT NULL CHECK (state IN ('sent', 'arrived', 'returned'))
    )
  `.execute(db);
  await sql`
    CREATE TABLE cell_inbox (id uuid PRIMARY KEY, outcome text NOT NULL CHECK (outcome IN ('accepted', 'refused')))
  `.execute(db);

  const post = (tx: Tx, id: string, purpose: 'send' | 'arrive' | 'return', walletId: string, amountToman: bigint) =>
    postTransfer(
      tx,
      {
        ...{ kind: 'transfer', sourceType: SOURCE, sourceId: id, purpose },
        movements: [
          { accountId: walletId, amountToman },
          { accountId: CLEARING, amountToman: -amountToman },
        ],
      },
      clock.now(),
    );

  return {
    name,
    world,
    async send({ id, fromUserId, to, toEmail, amountToman }) {
      await inTransaction(db, async (tx) => {
        await lockUser(tx, fromUserId);
        const { rows } = await sql`
          INSERT INTO cell_outbox (id, from_user_id, to_cell, to_email, amount_toman, state)
          VALUES (${id}, ${fromUserId}, ${to}, ${toEmail}, ${amountToman}, 'sent') ON CONFLICT (id) DO NOTHING RETURNING id
        `.execute(tx);
        if (rows.length === 0) return;
        const balance = await world.deps.lockBalance(tx, fromUserId);
        await balance.spend(BigInt(amountToman), () => post(tx, id, 'send', balance.walletId, -BigInt(amountToman)));
      });
    },
    async listUnanswered() {
      const { rows } = await sql<{ id: string; to: CellName; toEmail: string; amountToman: bigint }>`
        SELECT id, to_cell AS "to", to_email AS "toEmail", amount_toman AS "amountToman" FROM cell_outbox WHERE state = 'sent'
      `.execute(db);
      return rows.map((row) => ({ ...row, kind: 'transfer', from: name, amountToman: Number(row.amountToman) }));
    },
    async receive({ id, from, toEmail, amountToman }) {
      const outcome = await inTransaction(db, async (tx) => {
        const recipientId = await lockRecipient(tx, toEmail);
        const decided: Outcome = recipientId ? 'accepted' : 'refused';
        const { rows } = await sql`
          INSERT INTO cell_inbox (id, outcome) VALUES (${id}, ${decided}) ON CONFLICT (id) DO NOTHING RETURNING id
        `.execute(tx);
        if (rows.length === 0) return await selectOutcome(tx, id);
        if (!recipientId) return decided;
        await post(tx, id, 'arrive', (await getUserAccounts(tx, recipientId)).walletId, BigInt(amountToman));
        return decided;
      });
      return { kind: 'answer', id, to: from, outcome };
    },
    async settle({ id, outcome }) {
      await inTransaction(db, async (tx) => {
        const { rows } = await sql<{ state: string; from_user_id: string; amount_toman: bigint }>`
          SELECT state, from_user_id, amount_toman FROM cell_outbox WHERE id = ${id} FOR UPDATE
        `.execute(tx);
        const [sent] = rows;
        if (sent?.state !== 'sent') return;
        if (outcome === 'refused')
          await post(tx, id, 'return', (await getUserAccounts(tx, sent.from_user_id)).walletId, sent.amount_toman);
        const state = outcome === 'accepted' ? 'arrived' : 'returned';
        await sql`UPDATE cell_outbox SET state = ${state} WHERE id = ${id}`.execute(tx);
      });
    },
  };
}

/** The recipient's row, locked; undefined: nobody here has the address, or the account takes no money now. */
async function lockRecipient(tx: Tx, email: string): Promise<string | undefined> {
  const found = await findByEmail(tx, email);
  const user = found && (await lockUser(tx, found.id));
  return user?.status === 'active' && user.email_verified_at !== null ? user.id : undefined;
}

/** READ COMMITTED: what the transaction wrote that was first is seen by this statement. */
async function selectOutcome(tx: Tx, id: string): Promise<Outcome> {
  const { rows } = await sql<{ outcome: Outcome }>`SELECT outcome FROM cell_inbox WHERE id = ${id}`.execute(tx);
  return (rows[0] as { outcome: Outcome }).outcome;
}

import pg from 'pg';
import type { Site } from './site.ts';
import type { TestUser } from './user.ts';

/** A payment of which the bank has a toman less. Returns its id. */
export async function payTooLittle(site: Site, user: TestUser, amount: number): Promise<string> {
  const charge = await user.api.chargeWallet({ body: { amount, payment_method: 'idpay' } });
  await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
  const database = new pg.Client(await site.controlPlane.databaseUrl());
  await database.connect();
  await database.query('UPDATE test_bank_session SET amount_rial = amount_rial - 10 WHERE order_id = $1', [
    charge.transaction_id,
  ]);
  await database.end();
  await user.api.verifyPayment({ params: { id: charge.transaction_id } }).catch(() => undefined);
  return charge.transaction_id;
}

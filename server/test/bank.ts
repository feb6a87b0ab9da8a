import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { TestUser, TestWorld } from './world.ts';

/** What a user does at one of the test banks, and what the bank then has in its books. */

/** Paid at the bank, and not yet verified: the payment's id. */
export async function payAtBank({ api }: Pick<TestUser, 'api'>, gateway: GatewayName, amount = 50_000) {
  const charge = await api.chargeWallet({ body: { amount, payment_method: gateway } });
  await fetch(`${charge.payment_url}/pay`, { method: 'POST', redirect: 'manual' });
  return charge.transaction_id;
}

/** Paid, verified and in the wallet: the payment's id. */
export async function payAndVerify(user: Pick<TestUser, 'api'>, gateway: GatewayName, amount = 50_000) {
  const id = await payAtBank(user, gateway, amount);
  await user.api.verifyPayment({ params: { id } });
  return id;
}

/** The bank's own session of a payment. */
export async function bankSession({ deps }: Pick<TestWorld, 'deps'>, paymentId: string) {
  const { rows } = await sql<{ state: string; amount_rial: bigint; refunded_rial: bigint }>`
    SELECT state, amount_rial, refunded_rial FROM test_bank_session WHERE order_id = ${paymentId}
  `.execute(deps.db);
  return rows[0];
}

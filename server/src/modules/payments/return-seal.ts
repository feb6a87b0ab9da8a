import { timingSafeEqual } from 'node:crypto';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Vault } from '../../platform/sealed.ts';

/** The address to which the bank sends the browser back. It carries our own seal, so ids cannot be guessed. */
export function returnUrl(deps: { vault: Vault; publicUrl: string }, gateway: GatewayName, paymentId: string): string {
  return `${deps.publicUrl}/api/v1/payments/return/${gateway}/${paymentId}/${sealOf(deps.vault, paymentId)}`;
}

export function isSealed(vault: Vault, paymentId: string, seal: string): boolean {
  const expected = Buffer.from(sealOf(vault, paymentId));
  const given = Buffer.from(seal);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function sealOf(vault: Vault, paymentId: string): string {
  return vault.hmac('payment-return', paymentId).toString('base64url').slice(0, 32);
}

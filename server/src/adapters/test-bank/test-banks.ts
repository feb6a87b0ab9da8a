import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance } from 'fastify';
import { idpayTestBank } from './idpay.ts';
import { nextpayTestBank } from './nextpay.ts';
import type { BankDeps } from './serve.ts';
import { zarinpalTestBank } from './zarinpal.ts';

/**
 * The built-in test banks: the wire protocols of all three gateways with a clearly marked payer page, for a fresh machine
 * and for tests. Never mounted in production, unless DEMO is on.
 */
export const testBankPath = (gateway: GatewayName) => `/dev/bank/${gateway}`;

export async function mountTestBanks(
  app: FastifyInstance,
  deps: BankDeps & { pageOrigin: () => string },
): Promise<void> {
  await app.register((scope) => zarinpalTestBank(scope, deps), { prefix: testBankPath('zarinpal') });
  await app.register((scope) => nextpayTestBank(scope, deps), { prefix: testBankPath('nextpay') });
  const pageUrl = () => `${deps.pageOrigin()}${testBankPath('idpay')}`;
  await app.register((scope) => idpayTestBank(scope, { ...deps, pageUrl }), { prefix: testBankPath('idpay') });
}

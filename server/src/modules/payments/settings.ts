import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import * as z from 'zod/mini';
import { defineSetting, type Setting } from '../../platform/settings.ts';

const switches = z.enum(['auto', 'on', 'off']);
export type GatewaySwitch = z.output<typeof switches>;

/** auto: on, except IDPay with a real key (public reports say that its service has stopped). */
export const gatewaySwitches: Readonly<Record<GatewayName, Setting<GatewaySwitch>>> = {
  zarinpal: defineSetting('gateways.zarinpal', switches, 'auto'),
  idpay: defineSetting('gateways.idpay', switches, 'auto'),
  nextpay: defineSetting('gateways.nextpay', switches, 'auto'),
};

/** The smallest refund in toman; Zarinpal's panel sends no smaller one. */
export const minRefundToman = defineSetting(
  'payments.minRefundToman',
  z.int().check(z.gte(1), z.lte(1_000_000)),
  2_000,
);

/** Working days within which a refund reaches the payer's card: what the operator knows of the banks. */
export const refundArrivalDays = defineSetting('payments.refundArrivalDays', z.int().check(z.gte(1), z.lte(30)), 3);

/** The order in which users see them. */
export const gatewayOrder = defineSetting(
  'gateways.order',
  z.array(z.enum(paymentGateways)).check(z.maxLength(paymentGateways.length)),
  [...paymentGateways],
);

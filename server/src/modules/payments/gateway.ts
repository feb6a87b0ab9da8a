import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { InquiryResult, RefundCheck, RefundResult, VerifyResult } from './rules.ts';

/**
 * What the product needs from a payment gateway. Amounts are toman; each adapter converts at its own edge. A time-out or
 * an unreadable answer is `unknown`, never a failure.
 */
export interface Gateway {
  readonly name: GatewayName;
  readonly title: { readonly fa: string; readonly en: string };
  /** True for a built-in test bank. */
  readonly test: boolean;
  /** Where browsers are sent to pay: a page of each host that they see first. */
  readonly pages: () => readonly string[];
  start(request: StartRequest): Promise<StartResult>;
  /** What the browser brings back from the bank's page; names are lower case. Hints, never proof. */
  readReturn(parameters: Readonly<Record<string, string>>): BankReturn;
  verify(reference: PaymentReference): Promise<VerifyResult>;
  /** What the gateway knows of a payment. Never a reason to credit; tells a dead payment from a slow one. */
  inquire(reference: PaymentReference): Promise<InquiryResult>;
  /** Sends money back to the payer where the gateway has a call for it. */
  refund(request: RefundRequest): Promise<RefundResult>;
  /** What became of a refund whose answer was lost. */
  findRefund(request: RefundRequest): Promise<RefundCheck>;
  /** Payments that were paid and never verified, for the sweep; empty when there are none or nobody answers. */
  listUnverified(): Promise<readonly { readonly gatewayReference: string; readonly amountToman: number }[]>;
}

export interface PaymentReference {
  readonly paymentId: string;
  /** The bank's identifier of the payment. */
  readonly gatewayReference: string;
  readonly amountToman: number;
}

export interface StartRequest {
  readonly paymentId: string;
  readonly amountToman: number;
  readonly callbackUrl: string;
  readonly description: string;
}

export type StartResult =
  | { readonly kind: 'started'; readonly gatewayReference: string; readonly paymentUrl: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface BankReturn {
  readonly gatewayReference: string | undefined;
  readonly outcome: 'ok' | 'nok' | undefined;
}

export interface RefundRequest extends PaymentReference {
  readonly refId: string;
  readonly refundToman: number;
  /** How old the payment was when the refund was sent, the last time. */
  readonly secondsSincePaid: number;
  /** A call was begun, now or by an earlier request, that pays a second time when it is made again. */
  readonly isUnrepeatable: boolean;
  /** Awaited before such a call. Rejects when the refund has passed to somebody else: then nothing may be asked for. */
  readonly becomeUnrepeatable: () => Promise<void>;
}

import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { InquiryResult, RefundCheck, RefundResult, VerifyResult } from './rules.ts';

/**
 * What the product needs from a payment gateway. Amounts are in toman; each adapter converts. A timeout or an
 * unreadable answer is `unknown`, never a failure.
 */
export interface Gateway {
  readonly name: GatewayName;
  readonly title: { readonly fa: string; readonly en: string };
  /** True for a built-in test bank. */
  readonly test: boolean;
  /** The first page that browsers open to pay, one for each host. */
  readonly pages: () => readonly string[];
  start(request: StartRequest): Promise<StartResult>;
  /**
   * What the browser brings back from the bank's page; names are lower case. It indicates the outcome and never proves
   * it.
   */
  readReturn(parameters: Readonly<Record<string, string>>): BankReturn;
  verify(reference: PaymentReference): Promise<VerifyResult>;
  /** What the gateway knows about a payment. Never a reason to credit; it tells a failed payment from a slow one. */
  inquire(reference: PaymentReference): Promise<InquiryResult>;
  /** Sends money back to the payer, if the gateway has a call for it. */
  refund(request: RefundRequest): Promise<RefundResult>;
  /** Looks up the outcome of a refund whose answer was lost. */
  findRefund(request: RefundRequest): Promise<RefundCheck>;
  /**
   * Payments that were paid and never verified, for the sweep; empty if there are none or the gateway does not answer.
   */
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
  /** The age of the payment when the refund was last sent. */
  readonly secondsSincePaid: number;
  /** A call was started, now or by an earlier request, that would pay a second time if repeated. */
  readonly isUnrepeatable: boolean;
  /** Awaited before such a call. Rejects if somebody else now handles the refund: then nothing may be requested. */
  readonly becomeUnrepeatable: () => Promise<void>;
}

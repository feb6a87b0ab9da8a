import type { GatewayName } from '@raha/contract/limits.ts';
import type { InquiryResult, VerifyResult } from './rules.ts';

/**
 * What the product needs from a payment gateway. Amounts are toman; each adapter converts at its own edge. A time-out or
 * an unreadable answer is `unknown`, never a failure.
 */
export interface Gateway {
  readonly name: GatewayName;
  readonly title: { readonly fa: string; readonly en: string };
  /** True for a built-in test bank. */
  readonly test: boolean;
  start(request: StartRequest): Promise<StartResult>;
  verify(request: { readonly authority: string; readonly amountToman: number }): Promise<VerifyResult>;
  /** What the gateway knows of an authority. Never a reason to credit; tells a dead payment from a slow one. */
  inquire(authority: string): Promise<InquiryResult>;
  /** Payments that were paid and never verified, for the sweep; empty when there are none or nobody answers. */
  listUnverified(): Promise<readonly { readonly authority: string; readonly amountToman: number }[]>;
}

export interface StartRequest {
  readonly paymentId: string;
  readonly amountToman: number;
  readonly callbackUrl: string;
  readonly description: string;
}

export type StartResult =
  | { readonly kind: 'started'; readonly authority: string; readonly paymentUrl: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

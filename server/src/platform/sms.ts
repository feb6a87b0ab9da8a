export interface SmsMessage {
  /** 09xxxxxxxxx. */
  readonly to: string;
  readonly template: string;
  /** What the template leaves open; without spaces. */
  readonly token: string;
}

/**
 * `refused`: the provider will not send this one; `busy`: not now, and nothing was sent; `unknown`: nobody knows whether
 * it was sent, so that sending again could mean two messages.
 */
export type SmsResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused' | 'busy' | 'unknown'; readonly reason: string };

export interface SmsSender {
  /** True for the built-in simulator, which sends nothing. */
  readonly test: boolean;
  send(message: SmsMessage): Promise<SmsResult>;
}

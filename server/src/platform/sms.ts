export interface SmsMessage {
  /** 09xxxxxxxxx. */
  readonly to: string;
  readonly template: string;
  /** The value of the template's placeholder; without spaces. */
  readonly token: string;
}

/**
 * `refused`: the provider will not send this message. `busy`: nothing was sent, try later. `unknown`: the message may have
 * been sent, so that sending it again could deliver two.
 */
export type SmsResult =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'refused' | 'busy' | 'unknown';
      readonly reason: string;
      /** The number of the provider's answer. */
      readonly code?: number | undefined;
    };

export interface SmsSender {
  /** True for the built-in simulator, which sends nothing. */
  readonly test: boolean;
  send(message: SmsMessage): Promise<SmsResult>;
}

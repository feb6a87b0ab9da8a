/** Where alerts are posted to besides mail. */
export interface AlertWebhook {
  /** The host of the address, for sentences. */
  readonly host: string;
  /**
   * Posts a body, signed as Standard Webhooks says; `id` is the same whenever it is sent again. Resolves when the receiver took it,
   * throws a sentence otherwise.
   */
  send(message: { readonly id: string; readonly body: string }): Promise<void>;
}

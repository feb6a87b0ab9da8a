import { defineJob } from '../../platform/jobs.ts';

/** The purpose of a text message, which selects a template that the provider has approved. */
export type SmsPurpose = 'code' | 'low_balance' | 'service_cut';

export interface TextMessage {
  readonly to: string;
  readonly purpose: SmsPurpose;
  readonly token: string;
  /** It is not sent after this instant. */
  readonly until?: string;
}

export const sendTextMessage = defineJob<TextMessage>('sms.send', ({ to }) => to);

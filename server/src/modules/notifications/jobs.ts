import { defineJob } from '../../platform/jobs.ts';

/** What a text message is for; its text is a template that the provider has approved. */
export type SmsPurpose = 'code' | 'low_balance' | 'service_cut';

export interface TextMessage {
  readonly to: string;
  readonly purpose: SmsPurpose;
  readonly token: string;
  /** After this instant it is not sent any more. */
  readonly until?: string;
}

export const sendTextMessage = defineJob<TextMessage>('sms.send', ({ to }) => to);

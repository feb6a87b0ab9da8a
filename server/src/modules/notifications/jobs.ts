import type { Locale } from '@raha/contract/locale.ts';
import type { MessageAbout } from '../../platform/email.ts';
import { defineJob } from '../../platform/jobs.ts';

/** The purpose of a text message, which selects a template that the provider has approved. */
export type SmsPurpose = 'code' | 'low_balance' | 'service_cut';

export interface TextMessage {
  readonly to: string;
  readonly purpose: SmsPurpose;
  readonly token: string;
  /** It is not sent after this instant. */
  readonly until?: string;
  /** Jobs of earlier releases do not say it. */
  readonly about: MessageAbout;
}

/** What a browser shows, to send to the browser of a session. */
export interface PushNews {
  readonly sessionId: string;
  /** It is not sent after this instant. */
  readonly until: string;
  readonly title: string;
  readonly body: string;
  /** The page of the panel that it opens. */
  readonly path: string;
  readonly lang: Locale;
}

export const sendPushNews = defineJob<PushNews>('push.send');

export const sendTextMessage = defineJob<TextMessage>('sms.send', ({ to }) => to);

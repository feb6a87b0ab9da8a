import { handle, type Work } from '../../platform/jobs.ts';
import { type SmsDeps, sendSms } from './channels/sms.ts';
import { forgetOldNotifications } from './forget.ts';
import { sendTextMessage } from './jobs.ts';

export const notificationsWork: Work<SmsDeps> = {
  handlers: [handle(sendTextMessage, sendSms)],
  schedules: [
    {
      name: 'forget old notifications',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldNotifications(db, clock.now()),
    },
  ],
};

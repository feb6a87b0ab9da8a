import { handle, type Work } from '../../platform/jobs.ts';
import { type PushDeps, sendPush } from './channels/push.ts';
import { type SmsDeps, sendSms } from './channels/sms.ts';
import { forgetOldNotifications } from './forget.ts';
import { sendPushNews, sendTextMessage } from './jobs.ts';

export const notificationsWork: Work<SmsDeps & PushDeps> = {
  handlers: [handle(sendTextMessage, sendSms), handle(sendPushNews, sendPush)],
  schedules: [
    {
      name: 'forget old notifications',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldNotifications(db, clock.now()),
    },
  ],
};

import { sendEmail } from '../../platform/email.ts';
import { handle, type Work } from '../../platform/jobs.ts';
import { type MailDeps, sendMail } from './channels/mail.ts';
import { type PushDeps, sendPush } from './channels/push.ts';
import { type SmsDeps, sendSms } from './channels/sms.ts';
import { forgetOldDeliveries, forgetOldNotifications } from './forget.ts';
import { sendPushNews, sendTextMessage } from './jobs.ts';

export const notificationsWork: Work<MailDeps & SmsDeps & PushDeps> = {
  handlers: [handle(sendEmail, sendMail), handle(sendTextMessage, sendSms), handle(sendPushNews, sendPush)],
  schedules: [
    {
      name: 'forget old notifications',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldNotifications(db, clock.now()),
    },
    {
      name: 'forget old deliveries',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldDeliveries(db, clock.now()),
    },
  ],
};

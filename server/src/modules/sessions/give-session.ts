import type { User } from '@raha/contract/public/auth.ts';
import type { SocialProvider } from '@raha/contract/public/social.ts';
import type { FastifyReply } from 'fastify';
import type { Log } from '../../platform/log.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { setSessionCookies } from './cookies.ts';
import { keepDevice } from './device.ts';
import type { ServiceDeps } from './read-service.ts';
import type { SendCodeDeps } from './send-code.ts';
import type { SignedIn, SignInDeps } from './sign-in.ts';
import type { SocialPort } from './social.ts';
import type { CallDeps } from './take-call.ts';

export type AuthDeps = SendCodeDeps &
  SignInDeps &
  CallDeps &
  FactorDeps & {
    readonly log: Log;
    readonly secureCookies: boolean;
    readonly socialPorts: ReadonlyMap<SocialProvider, SocialPort>;
  } & ServiceDeps;

/** Gives a session to a browser: its three cookies, and the cookie that identifies the device next time. */
export function giveSession(deps: AuthDeps, reply: FastifyReply, session: SignedIn, user: User): void {
  reply.request.userId = user.id;
  setSessionCookies(reply, session, user, deps.secureCookies);
  keepDevice(reply, session.deviceCookie, deps.secureCookies);
}

export const messages = {
  sent: { fa: 'کد تایید به ایمیل شما ارسال شد.', en: 'A code was sent to your e-mail.' },
  resent: { fa: 'کد تایید مجدداً ارسال شد', en: 'The code was sent again.' },
  welcome: { fa: 'خوش آمدید!', en: 'Welcome!' },
  welcomeName: { fa: (name: string) => `خوش آمدید ${name}!`, en: (name: string) => `Welcome ${name}!` },
  profile: {
    fa: 'پروفایل شما تکمیل شد و دورهٔ آزمایشی رایگان فعال است.',
    en: 'Your profile is complete and the free trial is on.',
  },
  profileOnly: { fa: 'پروفایل شما تکمیل شد.', en: 'Your profile is complete.' },
  registered: { fa: 'خوش آمدید! کد تأیید به ایمیلتان فرستاده شد.', en: 'Welcome! A code was sent to your e-mail.' },
  verifyFirst: { fa: 'ابتدا ایمیل خود را تأیید کنید.', en: 'Please verify your e-mail first.' },
  verified: { fa: 'ایمیل شما با موفقیت تایید شد!', en: 'Your e-mail was verified.' },
  resetSent: {
    fa: 'اگر با این ایمیل حسابی باشد، پیوند گذرواژهٔ تازه فرستاده شد.',
    en: 'If there is an account with this e-mail, a link was sent to it.',
  },
  passwordChanged: { fa: 'گذرواژه عوض شد.', en: 'The password was changed.' },
} as const;

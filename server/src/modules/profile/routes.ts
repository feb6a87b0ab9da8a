import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { profileCalls } from '@raha/contract/public/profile.ts';
import { inTransaction } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { readUpload } from '../../platform/http/upload.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SmsSender } from '../../platform/sms.ts';
import { changePreferences } from '../accounts/preferences.ts';
import { accountChanged } from '../accounts/signals.ts';
import { findUser, getUser, lockRemaining, removePhone, renameUser, type User } from '../accounts/users.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { readDnsFiltering, setDnsFiltering } from '../dns-filtering/dns-filtering.ts';
import { requireActive, requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { cancelEmailChange, requestEmailChange, resendEmailCode, verifyNewEmail } from '../sessions/change-email.ts';
import { confirmSelf, sendConfirmation } from '../sessions/confirm-self.ts';
import { forgetBrowser } from '../sessions/cookies.ts';
import { avatarUrl, describeUser } from '../sessions/describe-user.ts';
import type { AuthDeps } from '../sessions/give-session.ts';
import { changeAvatar, readAvatar, removeAvatar } from './avatar.ts';
import { deactivateAccount, deleteAccount } from './close-account.ts';
import { exportAccount } from './export-account.ts';
import { listOperatorActions } from './operator-actions.ts';
import { readProfile, readSettings, readUsage } from './read-profile.ts';
import { sendPhoneCode, verifyPhoneCode } from './verify-phone.ts';

export type ProfileDeps = AuthDeps & ConfigDeps & { readonly sms: SmsSender | undefined };

type Calls = typeof profileCalls;
type Pictures = Pick<Calls, 'uploadAvatar' | 'deleteAvatar' | 'showAvatar'>;
type Closing = Pick<Calls, 'sendConfirmation' | 'deactivateAccount' | 'deleteAccount' | 'exportAccount'>;

/** A user's own profile. With an unverified email address everything is allowed except text messages, which cost money. */
export function profileRoutes(deps: ProfileDeps): Handlers<Calls, SignedInCaller, unknown> {
  return { ...pictureRoutes(deps), ...closingRoutes(deps), ...dataRoutes(deps) };
}

const messages = {
  saved: { fa: 'پروفایل به‌روزرسانی شد', en: 'Your profile was updated.' },
  provePending: {
    fa: 'پروفایل به‌روزرسانی شد. کد تأیید به ایمیل تازه ارسال شد.',
    en: 'Your profile was updated. A code was sent to the new e-mail.',
  },
  emailChanged: { fa: 'ایمیل شما عوض شد.', en: 'Your e-mail was changed.' },
  codeSent: { fa: 'کد تایید ارسال شد', en: 'The code was sent.' },
  phoneVerified: { fa: 'شماره موبایل تایید شد', en: 'Your mobile number was verified.' },
  avatarSaved: { fa: 'تصویر پروفایل به‌روزرسانی شد', en: 'Your picture was updated.' },
} as const satisfies Record<string, Record<Locale, string>>;

function dataRoutes(deps: ProfileDeps): Handlers<Omit<Calls, keyof Pictures | keyof Closing>, SignedInCaller, unknown> {
  const { db } = deps;
  const fresh = async (user: User) => {
    const now = await getUser(db, user.id);
    return { data: { profile: await readProfile(deps, now) }, user: await describeUser(db, now) };
  };
  return {
    readDnsFiltering: async ({ caller }) => ({ success: true, data: await readDnsFiltering(deps, caller.user.id) }),
    async setDnsFiltering({ caller, body }) {
      const user = requireActive(caller.user);
      await setDnsFiltering(deps, user.id, body.enabled);
      return { success: true, data: await readDnsFiltering(deps, user.id) };
    },
    async getProfile({ caller }) {
      return { success: true, data: { profile: await readProfile(deps, requireProfile(caller.user)) } };
    },
    async updateProfile({ body, caller, locale }) {
      const user = requireProfile(caller.user);
      const { email, name, phone, ...proof } = body;
      if (phone && phone !== user.phone) {
        throw new Refusal('invalid_input', { fields: { phone: 'phone_unverified' } });
      }
      const isNew = email !== undefined && email !== user.email;
      const sent = isNew ? await requestEmailChange(deps, caller, email, proof) : undefined;
      await inTransaction(db, async (tx) => {
        await lockRemaining(tx, user.id);
        if (name !== undefined) await renameUser(tx, user.id, name);
        if (phone === '') await removePhone(tx, user.id);
        await deps.bus.announce(tx, accountChanged, { userId: user.id });
      });
      return {
        success: true,
        ...(await fresh(user)),
        ...(sent ? { retry_after: sent.retryAfterSeconds } : {}),
        message: messages[sent ? 'provePending' : 'saved'][locale],
      };
    },
    async resendNewEmailCode({ caller, locale }) {
      const { retryAfterSeconds } = await resendEmailCode(deps, { ...caller, user: requireProfile(caller.user) });
      return { success: true, retry_after: retryAfterSeconds, message: messages.codeSent[locale] };
    },
    async verifyNewEmail({ body, caller, locale }) {
      requireProfile(caller.user);
      const user = await verifyNewEmail(deps, caller, body.code);
      return { success: true, ...(await fresh(user)), message: messages.emailChanged[locale] };
    },
    async cancelNewEmail({ caller }) {
      await cancelEmailChange(deps, requireProfile(caller.user));
      return { success: true };
    },
    async sendPhoneCode({ body, caller, locale, request }) {
      const { id } = requireActive(caller.user);
      deps.networkLimit.take(request, 'sms', limits.phone.perNetworkPerHour);
      const retryAfter = await sendPhoneCode(deps, id, body.phone);
      return { success: true, retry_after: retryAfter, message: messages.codeSent[locale] };
    },
    async verifyPhoneCode({ body, caller, locale }) {
      const { id } = requireActive(caller.user);
      await verifyPhoneCode(deps, id, body);
      return { success: true, user: (await fresh(caller.user)).user, message: messages.phoneVerified[locale] };
    },
    async getSettings({ caller }) {
      return { success: true, data: { settings: await readSettings(deps, requireProfile(caller.user).id) } };
    },
    async updateSettings({ body, caller }) {
      const { id } = requireProfile(caller.user);
      await changePreferences(db, id, {
        ...(body.emailNotifications === undefined ? {} : { email_notifications: body.emailNotifications }),
        ...(body.smsNotifications === undefined ? {} : { sms_notifications: body.smsNotifications }),
        ...(body.autoConnect === undefined ? {} : { auto_connect: body.autoConnect }),
        ...(body.language === undefined ? {} : { language: body.language }),
        ...(body.theme === undefined ? {} : { theme: body.theme }),
      });
      return { success: true, data: { settings: await readSettings(deps, id) } };
    },
    listOperatorActions: async ({ caller }) => ({
      success: true,
      data: { actions: await listOperatorActions(db, caller.user.id) },
    }),
    async getUsage({ caller }) {
      return { success: true, data: { usage: await readUsage(deps, requireProfile(caller.user).id) } };
    },
  };
}

function pictureRoutes(deps: ProfileDeps): Handlers<Pictures, SignedInCaller, unknown> {
  const userOf = async (id: string) => await describeUser(deps.db, await getUser(deps.db, id));
  return {
    async uploadAvatar({ caller, request, locale }) {
      const { id } = requireProfile(caller.user);
      deps.networkLimit.take(request, `avatar ${id}`, limits.avatar.perHour);
      const file = await readUpload(request, 'avatar');
      if (!file) throw new Refusal('invalid_input', { fields: { avatar: 'file_not_image' } });
      if (file.length > limits.avatar.maxBytes) {
        throw new Refusal('invalid_input', { fields: { avatar: 'file_too_large' } });
      }
      const picture = await changeAvatar(deps, id, file);
      const message = messages.avatarSaved[locale];
      return { success: true, avatarUrl: avatarUrl(picture), user: await userOf(id), message };
    },
    async deleteAvatar({ caller }) {
      const { id } = requireProfile(caller.user);
      await removeAvatar(deps, id);
      return { success: true, user: await userOf(id) };
    },
    async showAvatar({ params, reply }) {
      const webp = await readAvatar(deps.db, params.id);
      return reply
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
        .header('content-disposition', 'inline; filename="avatar.webp"')
        .type('image/webp')
        .send(webp);
    },
  };
}

function closingRoutes(deps: ProfileDeps): Handlers<Closing, SignedInCaller, unknown> {
  return {
    async sendConfirmation({ caller, locale }) {
      const { retryAfterSeconds } = await sendConfirmation(deps, { ...caller, user: requireProfile(caller.user) });
      return { success: true, retry_after: retryAfterSeconds, message: messages.codeSent[locale] };
    },
    async exportAccount({ caller, locale, reply }) {
      const user = requireProfile(caller.user);
      deps.minuteLimit.take(`files of ${user.id}`, limits.http.filesPerMinute);
      const all = await exportAccount(deps, user, locale);
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', 'attachment; filename="raha-account.json"')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(all, (_, value) => (typeof value === 'bigint' ? Number(value) : value), 2));
    },
    async deactivateAccount({ caller, body, reply }) {
      const { id } = requireProfile(caller.user);
      await confirmSelf(deps, caller, body ?? {});
      await deactivateAccount(deps, id);
      forgetBrowser(reply, deps.secureCookies);
      return { success: true };
    },
    async deleteAccount({ caller, body, reply }) {
      const { id } = requireProfile(caller.user);
      const user = await findUser(deps.db, id);
      if (!user) throw new Refusal('unauthenticated');
      await confirmSelf(deps, { ...caller, user }, body);
      await deleteAccount(deps, id);
      forgetBrowser(reply, deps.secureCookies);
      return { success: true };
    },
  };
}

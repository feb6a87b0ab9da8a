import type { Locale } from '@raha/contract/locale.ts';
import type { AllNotifications } from './kinds.ts';

type Change = AllNotifications['factors_changed']['change'];

/** What changed about the factors of an account; `name` is that of the passkey. */
export const factorChanges: Readonly<Record<Change, Readonly<Record<Locale, (name: string) => string>>>> = {
  passkey_added: {
    fa: (name) => `گذرکلید «${name}» افزوده شد. اگر کار شما نبوده است، آن را بردارید و گذرواژه را عوض کنید.`,
    en: (name) => `Passkey “${name}” was added. If it was not you, remove it and change the password.`,
  },
  passkey_removed: {
    fa: (name) => `گذرکلید «${name}» برداشته شد.`,
    en: (name) => `Passkey “${name}” was removed.`,
  },
  totp_added: {
    fa: () => 'برنامهٔ رمزساز راه افتاد؛ ورود با گذرواژه یا کد ایمیل از این پس مرحلهٔ دوم دارد.',
    en: () => 'An authenticator app was set up; signing in by password or e-mail code now has a second step.',
  },
  totp_removed: { fa: () => 'برنامهٔ رمزساز برداشته شد.', en: () => 'The authenticator app was removed.' },
  second_step_on: {
    fa: (name) => `گذرکلید «${name}» مرحلهٔ دوم ورود شد.`,
    en: (name) => `Passkey “${name}” became the second step of signing in.`,
  },
  second_step_off: {
    fa: (name) => `گذرکلید «${name}» دیگر مرحلهٔ دوم ورود نیست.`,
    en: (name) => `Passkey “${name}” is no longer the second step of signing in.`,
  },
  recovery_codes_made: {
    fa: () => 'کدهای بازیابی تازه ساخته شد و کدهای قبلی از کار افتاد.',
    en: () => 'New recovery codes were made; the earlier ones stopped working.',
  },
  recovery_code_used: {
    fa: () => 'با یکی از کدهای بازیابی وارد حساب شدند. اگر شما نبوده‌اید، گذرواژه را عوض کنید.',
    en: () => 'Somebody signed in with a recovery code. If it was not you, change the password.',
  },
  removed_by_operator: {
    fa: () => 'پشتیبانی همهٔ گذرکلیدها، برنامهٔ رمزساز و کدهای بازیابی حساب را برداشت.',
    en: () => 'Support removed all passkeys, the authenticator app and the recovery codes of the account.',
  },
};

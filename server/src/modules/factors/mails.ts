import { formatDate, formatTime } from '@raha/contract/persian.ts';
import { composeEmail, type EmailContent } from '../../platform/email.ts';
import type { FactorChange } from './notifications.ts';

const changes: Readonly<Record<FactorChange, (name: string) => string>> = {
  passkey_added: (name) => `گذرکلید «${name}» به حساب شما افزوده شد.`,
  passkey_removed: (name) => `گذرکلید «${name}» از حساب شما برداشته شد.`,
  totp_added: () => 'برنامهٔ رمزساز برای حساب شما راه افتاد. از این پس ورود با گذرواژه یا کد ایمیل، مرحلهٔ دوم دارد.',
  totp_removed: () => 'برنامهٔ رمزساز از حساب شما برداشته شد.',
  second_step_on: (name) => `گذرکلید «${name}» مرحلهٔ دوم ورود به حساب شما شد.`,
  second_step_off: (name) => `گذرکلید «${name}» دیگر مرحلهٔ دوم ورود به حساب شما نیست.`,
  recovery_codes_made: () => 'کدهای بازیابی تازه برای حساب شما ساخته شد و کدهای قبلی از کار افتاد.',
  recovery_code_used: () => 'با یکی از کدهای بازیابی به حساب شما وارد شدند.',
  removed_by_operator: () => 'پشتیبانی همهٔ گذرکلیدها، برنامهٔ رمزساز و کدهای بازیابی حساب شما را برداشت.',
};

/** The owner is mailed about every change, whatever kinds of mail they chose. */
export function factorChangedMail(
  brand: string,
  { change, name }: { readonly change: FactorChange; readonly name: string },
  now: Date,
): EmailContent {
  return composeEmail(brand, `راه‌های ورود به حساب ${brand} شما عوض شد`, [
    { line: changes[change](`\u2068${name}\u2069`) },
    { note: `زمان: ${formatDate(now)} ساعت ${formatTime(now)}` },
    { note: 'اگر این کار شما نبوده است، همین حالا گذرواژه را عوض کنید و نشست‌های دیگر را پایان دهید.' },
  ]);
}

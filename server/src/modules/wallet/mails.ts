import { formatNumber } from '@raha/contract/persian.ts';
import { composeEmail, type EmailContent } from '../../platform/email.ts';
import { maskEmail, moment } from '../sessions/mails.ts';

/** To the sender of every transfer, in Persian: a security notice, which no preference turns off. */
export function transferSentMail(
  brand: string,
  { amountToman, toEmail }: { readonly amountToman: number; readonly toEmail: string },
  now: Date,
): EmailContent {
  return composeEmail(brand, `انتقال از کیف پول ${brand} شما`, [
    { line: `در ${moment(now)} مبلغ ${formatNumber(amountToman)} تومان از کیف پول شما منتقل شد. گیرنده:` },
    { line: maskEmail(toEmail) },
    { note: 'اگر شما بوده‌اید، کاری لازم نیست. اگر نه، همین حالا گذرواژه را عوض کنید و با پشتیبانی تماس بگیرید.' },
  ]);
}

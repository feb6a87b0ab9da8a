import type { Locale } from '@raha/contract/locale.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import type { AnyEvent } from '../kinds.ts';
import { describeNotification } from '../texts.ts';

type LowBalance = Extract<AnyEvent, { kind: 'low_balance' }>['data'];

/** The texts of the panel, without the amount: they stand on the screen of a locked phone. */
export function describeOnLockScreen(event: AnyEvent, locale: Locale): { title: string; body: string } {
  const { title, message } = describeNotification(event, locale);
  return { title, body: event.kind === 'low_balance' ? lowBalance[locale](event.data) : message };
}

const lowBalance: Readonly<Record<Locale, (data: LowBalance) => string>> = {
  fa: ({ hours, percent }) =>
    hours === undefined
      ? `کمتر از ${formatNumber(percent)}٪ آخرین شارژ مانده است. پیش از قطع شدن شارژ کنید.`
      : `با مصرف ۲۴ ساعت گذشته، موجودی ${hours < 1 ? 'برای کمتر از یک ساعت' : `برای حدود ${formatNumber(hours)} ساعت`} دیگر بس است. پیش از قطع شدن شارژ کنید.`,
  en: ({ hours, percent }) =>
    hours === undefined
      ? `Less than ${percent}% of your last top-up is left. Charge before it is cut.`
      : `At the pace of the last 24 hours your balance lasts for ${hours < 1 ? 'less than an hour' : `about ${hours} hours`} more. Charge before it is cut.`,
};

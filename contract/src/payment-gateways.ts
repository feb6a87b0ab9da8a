import type { Locale } from './locale.ts';

export const paymentGateways = ['zarinpal', 'idpay', 'nextpay'] as const;
export type GatewayName = (typeof paymentGateways)[number];

export const gatewayTitles: Readonly<Record<GatewayName, Readonly<Record<Locale, string>>>> = {
  zarinpal: { fa: 'زرین‌پال', en: 'Zarinpal' },
  idpay: { fa: 'آیدی‌پی', en: 'IDPay' },
  nextpay: { fa: 'نکست‌پی', en: 'NextPay' },
};

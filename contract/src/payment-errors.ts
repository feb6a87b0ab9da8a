/** Refusals of payments at the banks. */
export const paymentErrors = {
  gateway_unavailable: {
    status: 503,
    fa: 'درگاه پرداخت پاسخ نمی‌دهد. لطفاً کمی بعد دوباره تلاش کنید؛ پولی از حساب شما کم نشده است.',
    en: 'The payment gateway does not answer. Please try again shortly; nothing was taken from your account.',
  },
  gateway_off: {
    status: 422,
    fa: 'این درگاه پرداخت فعال نیست. لطفاً درگاه دیگری انتخاب کنید.',
    en: 'This payment gateway is switched off. Please choose another.',
  },
  payments_held: {
    status: 503,
    fa: 'الان نمی‌شود پرداخت کرد: داریم حساب‌ها را با بانک‌ها مقایسه می‌کنیم. پولی از حساب شما کم نشده است. لطفاً بعداً دوباره سر بزنید.',
    en: 'Payments are off for now: we are comparing our books with the banks. Nothing was taken from your account. Please come back later.',
  },
  payment_refused: { status: 502, fa: 'خطا در ایجاد درخواست پرداخت', en: 'The payment request could not be created.' },
  payment_failed: { status: 402, fa: 'پرداخت ناموفق', en: 'The payment failed.' },
  payment_pending: {
    status: 409,
    fa: 'نتیجهٔ پرداخت هنوز از بانک نرسیده است. اگر مبلغی کم شده باشد، خودکار به کیف پول شما افزوده می‌شود.',
    en: 'The bank has not answered yet. If money was taken, it will be added to your wallet by itself.',
  },
  payment_mismatch: {
    status: 400,
    fa: 'اطلاعات بازگشت از بانک با این پرداخت نمی‌خواند.',
    en: 'What the bank returned does not belong to this payment.',
  },
  payment_not_cancellable: {
    status: 409,
    fa: 'این پرداخت دیگر قابل لغو نیست.',
    en: 'This payment cannot be cancelled any more.',
  },
} as const;

import { staffErrors } from './admin/errors.ts';
import { factorErrors } from './factor-errors.ts';
import { limits } from './limits.ts';
import type { Locale } from './locale.ts';
import { paymentErrors } from './payment-errors.ts';
import { formatNumber } from './persian.ts';

/**
 * Every refusal of the product: code → HTTP status → sentence. The server throws the code, the answer carries the
 * Persian sentence (English when `Accept-Language` prefers it), clients branch on the code. `{name}` is filled in.
 */
export interface ErrorEntry {
  readonly status: number;
  readonly fa: string;
  readonly en: string;
}

export const errors = {
  // the request itself
  invalid_input: {
    status: 422,
    fa: 'برخی از اطلاعات واردشده درست نیست. لطفاً موارد مشخص‌شده را اصلاح کنید.',
    en: 'Some of what you entered is not right. Please correct the marked fields.',
  },
  malformed_body: {
    status: 400,
    fa: 'درخواست خوانا نبود. لطفاً صفحه را تازه کنید و دوباره تلاش کنید.',
    en: 'The request could not be read. Please reload the page and try again.',
  },
  unsupported_media_type: {
    status: 415,
    fa: 'نوع محتوای درخواست پشتیبانی نمی‌شود.',
    en: 'The content type of the request is not supported.',
  },
  body_too_large: { status: 413, fa: 'حجم درخواست بیش از اندازهٔ مجاز است.', en: 'The request is larger than allowed.' },
  not_found: { status: 404, fa: 'موردی که خواستید پیدا نشد.', en: 'What you asked for was not found.' },
  cross_site: {
    status: 403,
    fa: 'این درخواست از سایت دیگری آمده است و پذیرفته نشد.',
    en: 'This request came from another site and was refused.',
  },
  too_many_requests: {
    status: 429,
    fa: 'درخواست‌ها زیاد بود. لطفاً {seconds} ثانیه صبر کنید.',
    en: 'Too many requests. Please wait {seconds} seconds.',
  },
  unavailable: {
    status: 503,
    fa: 'سرویس برای لحظاتی در دسترس نیست. لطفاً کمی بعد دوباره تلاش کنید.',
    en: 'The service is unavailable for a moment. Please try again shortly.',
  },
  internal: {
    status: 500,
    fa: 'مشکلی پیش‌بینی‌نشده رخ داد. لطفاً دوباره تلاش کنید؛ اگر ادامه داشت، شناسهٔ درخواست را به پشتیبانی بدهید.',
    en: 'Something unexpected went wrong. Please try again; if it continues, give the request id to support.',
  },
  // sign-in
  unauthenticated: {
    status: 401,
    fa: 'نشست شما پایان یافته است. لطفاً دوباره وارد شوید.',
    en: 'Your session has ended. Please sign in again.',
  },
  forbidden: { status: 403, fa: 'شما به این بخش دسترسی ندارید.', en: 'You may not use this section.' },
  account_suspended: {
    status: 403,
    fa: 'حساب شما مسدود شده است. لطفاً با پشتیبانی تماس بگیرید.',
    en: 'Your account is suspended. Please contact support.',
  },
  account_deactivated: {
    status: 403,
    fa: 'این حساب غیرفعال شده است. برای بازگشت با پشتیبانی تماس بگیرید.',
    en: 'This account is deactivated. Contact support to come back.',
  },
  profile_incomplete: {
    status: 403,
    fa: 'ابتدا پروفایل خود را تکمیل کنید.',
    en: 'Please complete your profile first.',
  },
  email_unverified: { status: 403, fa: 'ابتدا ایمیل خود را تأیید کنید.', en: 'Please verify your e-mail first.' },
  code_invalid: { status: 400, fa: 'کد تایید نامعتبر است', en: 'The code is not valid.' },
  code_burnt: {
    status: 400,
    fa: 'این کد به‌دلیل تلاش‌های ناموفق از کار افتاد. لطفاً کد تازه بگیرید.',
    en: 'This code was disabled after too many tries. Please ask for a new one.',
  },
  code_too_soon: {
    status: 429,
    fa: 'کد قبلی هنوز تازه است. لطفاً {seconds} ثانیه صبر کنید و دوباره درخواست دهید.',
    en: 'The last code is still fresh. Please wait {seconds} seconds and ask again.',
  },
  login_failed: { status: 401, fa: 'ایمیل یا گذرواژه نادرست است.', en: 'E-mail or password is wrong.' },
  login_throttled: {
    status: 429,
    fa: 'تلاش‌های ورود زیاد بود. {minutes} دقیقهٔ دیگر دوباره امتحان کنید، یا با کد ایمیل وارد شوید.',
    en: 'Too many login attempts. Try again in {minutes} minutes, or sign in with a code by e-mail.',
  },
  email_taken: {
    status: 409,
    fa: 'با این ایمیل پیش‌تر حساب ساخته شده است. لطفاً وارد شوید.',
    en: 'There is an account with this e-mail. Please sign in.',
  },
  reset_token_invalid: {
    status: 400,
    fa: 'این پیوند نامعتبر است یا زمانش گذشته. لطفاً دوباره درخواست دهید.',
    en: 'This link is not valid any more. Please ask for a new one.',
  },
  password_wrong: { status: 403, fa: 'گذرواژهٔ فعلی درست نیست.', en: 'The current password is not right.' },
  password_needs_fresh_sign_in: {
    status: 403,
    fa: 'برای گذاشتن اولین گذرواژه، یک بار دیگر با کد ایمیل وارد شوید.',
    en: 'To set a first password, sign in with a code once more.',
  },
  ...factorErrors,
  ...staffErrors,
  social_off: { status: 404, fa: 'این روش ورود فعال نیست.', en: 'This way of signing in is off.' },
  social_failed: { status: 400, fa: 'خطا در ورود با {provider}', en: 'Sign-in with {provider} failed.' },
  social_unverified: {
    status: 403,
    fa: 'نشانی ایمیل این حساب {provider} تأیید نشده است. لطفاً با کد ایمیل وارد شوید.',
    en: 'The e-mail of this {provider} account is not verified. Please sign in with a code by e-mail.',
  },
  social_link_needs_sign_in: {
    status: 409,
    fa: 'با این ایمیل حسابی دارید که هنوز به {provider} وصل نیست. لطفاً یک بار با کد ایمیل وارد شوید.',
    en: 'You have an account with this e-mail that is not linked to {provider}. Please sign in with a code once.',
  },
  // profile
  confirmation_needed: {
    status: 403,
    fa: 'برای این کار گذرواژه یا کد تأیید لازم است.',
    en: 'This needs your password or a confirmation code.',
  },
  email_change_none: {
    status: 409,
    fa: 'ایمیل تازه‌ای در انتظار تأیید نیست. لطفاً دوباره آن را وارد کنید.',
    en: 'No new e-mail waits to be verified. Please enter it again.',
  },
  phone_code_wrong: { status: 400, fa: 'کد تایید نادرست است', en: 'The code is not right.' },
  phone_taken: {
    status: 409,
    fa: 'این شماره پیش‌تر برای حساب دیگری تأیید شده است.',
    en: 'This number has been verified for another account.',
  },
  sms_off: {
    status: 503,
    fa: 'ارسال پیامک در حال حاضر ممکن نیست.',
    en: 'Text messages cannot be sent at the moment.',
  },
  // activation and gift cards
  activation_required: {
    status: 403,
    fa: 'ابتدا باید حساب کاربری خود را فعال کنید',
    en: 'Please activate your account first.',
  },
  gift_card_invalid: { status: 404, fa: 'کد گیفت کارت یافت نشد.', en: 'Gift card code not found.' },
  gift_card_throttled: {
    status: 429,
    fa: 'تلاش‌های ناموفق زیاد بود. لطفاً {minutes} دقیقهٔ دیگر دوباره امتحان کنید.',
    en: 'Too many failed tries. Please try again in {minutes} minutes.',
  },
  store_not_found: { status: 404, fa: 'فروشگاه مورد نظر یافت نشد.', en: 'This store was not found.' },
  store_too_soon: {
    status: 429,
    fa: 'درخواست‌های زیاد. لطفاً {seconds} ثانیه صبر کنید.',
    en: 'Too many requests. Please wait {seconds} seconds.',
  },
  webhook_refused: {
    status: 401,
    fa: 'امضای این پیام پذیرفته نشد.',
    en: "The message's signature was not accepted.",
  },
  webhook_unusable: {
    status: 422,
    fa: 'این بازدید شناخته نیست یا این کد قابل استفاده نیست. لطفاً پیام را دوباره بفرستید.',
    en: 'This visit is not known, or this code cannot be redeemed. Please send the message again.',
  },
  rate_changed: {
    status: 409,
    fa: 'نرخ دلار تغییر کرده است. نرخ تازه {rate} تومان است؛ لطفاً دوباره تأیید کنید.',
    en: 'The dollar rate has changed. The new rate is {rate} toman; please confirm again.',
  },
  rate_unavailable: {
    status: 503,
    fa: 'نرخ روز دلار فعلاً در دسترس نیست؛ فعال‌سازی تا رسیدن نرخ تازه منتظر می‌ماند. لطفاً کمی بعد تلاش کنید.',
    en: 'There is no current dollar rate; redeeming waits for one. Please try again shortly.',
  },
  // wallet and payments
  insufficient_balance: { status: 402, fa: 'موجودی کیف پول کافی نیست.', en: 'The wallet balance is not enough.' },
  ...paymentErrors,
  refund_not_possible: {
    status: 409,
    fa: `بازگردانی وجه این پرداخت ممکن نیست. پرداخت‌های موفق تا ${formatNumber(limits.payment.refundDays)} روز و تا سقف مبلغ مصرف‌نشده بازگردانده می‌شوند؛ پول گیفت کارت و انتقال به بانک برنمی‌گردد و دیرتر از بقیه خرج می‌شود.`,
    en: `This payment cannot be refunded. Successful payments are refunded within ${limits.payment.refundDays} days, up to what is unspent; money of gift cards and transfers does not go to a bank, and is spent last.`,
  },
  refund_too_small: {
    status: 422,
    fa: 'کمترین مبلغ بازگردانی {min} تومان است.',
    en: 'The smallest refund is {min} toman.',
  },
  refund_too_large: {
    status: 422,
    fa: 'بیشترین مبلغ قابل بازگردانی الان {max} تومان است.',
    en: 'At most {max} toman can be refunded now.',
  },
  refund_started: {
    status: 409,
    fa: 'بازگردانی وجه این پرداخت پیش‌تر درخواست شده است.',
    en: 'A refund of this payment has been requested already.',
  },
  receipt_not_ready: {
    status: 409,
    fa: 'رسید پس از پرداخت موفق آماده می‌شود.',
    en: 'There is a receipt once the payment is successful.',
  },
  transfer_to_self: {
    status: 422,
    fa: 'انتقال به کیف پول خودتان ممکن نیست.',
    en: 'You cannot transfer to your own wallet.',
  },
  transfer_recipient_unknown: {
    status: 404,
    fa: 'کاربر فعالی با این ایمیل پیدا نشد.',
    en: 'There is no active user with this e-mail.',
  },
  transfer_limit_reached: {
    status: 422,
    fa: 'سقف انتقال روزانه {max} تومان است. امروز {left} تومان دیگر می‌توانید انتقال دهید.',
    en: 'At most {max} toman can be transferred a day. You can transfer {left} toman more today.',
  },
  transfer_activation_money: {
    status: 422,
    fa: 'ارزش گیفت کارتی که حساب را فعال کرده است برای مصرف خود شماست و انتقال داده نمی‌شود. الان تا {max} تومان می‌توانید انتقال دهید.',
    en: 'The value of the gift card that activated the account is for your own use and is not transferred. You can transfer up to {max} toman now.',
  },
  idempotency_key_reused: {
    status: 422,
    fa: 'این کلید تکرار پیش‌تر با درخواست دیگری به‌کار رفته است.',
    en: 'This idempotency key was used with another request.',
  },
  // plans
  plan_not_found: { status: 404, fa: 'این پلن فروخته نمی‌شود.', en: 'This plan is not sold.' },
  plan_running: {
    status: 409,
    fa: 'این پلن برای شما فعال است. برای ادامه آن را تمدید کنید.',
    en: 'This plan is running. Renew it to go on.',
  },
  plan_renewed: {
    status: 409,
    fa: 'دورهٔ بعدی این پلن را پیش‌تر خریده‌اید.',
    en: 'You have bought the next period of this plan already.',
  },
  plan_other_running: {
    status: 409,
    fa: 'الان پلن دیگری برای شما فعال است. برای تغییر، پلن دلخواه را بخرید.',
    en: 'Another plan is running. To change, buy the plan you want.',
  },
  plan_over: { status: 409, fa: 'این اشتراک پیش‌تر پایان یافته است.', en: 'This subscription has ended already.' },
  plan_changed: {
    status: 409,
    fa: 'این پلن همین حالا تغییر کرد و چیزی از شما کم نشد. الان {terms} است. لطفاً دوباره تأیید کنید.',
    en: 'This plan has just changed, and nothing was taken. It is {terms} now. Please confirm again.',
  },
  plan_price_changed: {
    status: 409,
    fa: 'مبلغ قابل پرداخت تغییر کرده و الان {due} تومان است. لطفاً دوباره تأیید کنید.',
    en: 'The amount to pay has changed and is {due} toman now. Please confirm again.',
  },
  // configs and servers
  config_name_taken: {
    status: 409,
    fa: 'کانفیگ دیگری با همین نام دارید. لطفاً نام دیگری انتخاب کنید.',
    en: 'You have another config of this name. Please choose another.',
  },
  config_limit_reached: {
    status: 422,
    fa: 'به سقف {max} کانفیگ رسیده‌اید. برای ساخت کانفیگ تازه، یکی را حذف کنید.',
    en: 'You have reached the limit of {max} configs. Delete one to create another.',
  },
  config_not_found: { status: 404, fa: 'کانفیگ پیدا نشد.', en: 'Config not found.' },
  connect_needs_activation: {
    status: 403,
    fa: 'برای اتصال، ابتدا باید حساب کاربری خود را فعال کنید.',
    en: 'To connect, please activate your account first.',
  },
  server_offline: {
    status: 409,
    fa: 'این سرور الان آنلاین نیست. لطفاً سرور دیگری انتخاب کنید.',
    en: 'This server is not online now. Please choose another.',
  },
  server_full: {
    status: 409,
    fa: 'ظرفیت این سرور پر شده است. لطفاً سرور دیگری انتخاب کنید.',
    en: 'This server is full. Please choose another.',
  },
  protocol_unavailable: {
    status: 422,
    fa: 'این پروتکل روی این سرور در دسترس نیست.',
    en: 'This protocol is not available on this server.',
  },
  public_key_taken: {
    status: 409,
    fa: 'این کلید پیش‌تر به‌کار رفته است. لطفاً کلید تازه بسازید.',
    en: 'This key is already in use. Please make a new one.',
  },
  private_key_on_device: {
    status: 409,
    fa: 'کلید خصوصی این کانفیگ فقط روی دستگاه شماست. برای دریافت فایل تازه، کانفیگ را بازنشانی کنید.',
    en: 'The private key of this config is only on your device. Reset the config to get a new file.',
  },
  family_key_on_device: {
    status: 409,
    fa: 'کلید این کانفیگ فقط روی دستگاه خودتان است و برای کس دیگر فرستاده نمی‌شود. یک کانفیگ تازه برایش بسازید.',
    en: 'The key of this config is only on your own device, so it cannot be sent to anybody. Make a new config for them.',
  },
  family_link_unknown: {
    status: 404,
    fa: 'این لینک درست نیست: یا همه‌اش کپی نشده، یا لینک تازه‌تری جای آن آمده است.',
    en: 'This link is not right: not all of it was copied, or a newer one has taken its place.',
  },
  family_link_used: {
    status: 409,
    fa: 'این لینک یک بار باز شده است. از کسی که آن را فرستاده، لینک تازه بخواهید.',
    en: 'This link has been opened once. Ask the sender for a new one.',
  },
  family_link_expired: {
    status: 410,
    fa: 'وقت این لینک گذشته است. از کسی که آن را فرستاده، لینک تازه بخواهید.',
    en: 'The time of this link is over. Ask the sender for a new one.',
  },
  family_ended: {
    status: 410,
    fa: 'کسی که این اینترنت را فرستاده بود، آن را تمام کرده است.',
    en: 'The sender has ended this internet.',
  },
  // nodes
  enrolment_refused: {
    status: 401,
    fa: 'توکن ثبت نود نامعتبر، مصرف‌شده یا منقضی است.',
    en: 'The enrolment token is unknown, used or expired.',
  },
  node_unauthenticated: { status: 401, fa: 'امضای نود پذیرفته نشد.', en: "The node's signature was not accepted." },
  node_superseded: {
    status: 403,
    fa: 'این نود با ثبت تازه‌تری جایگزین یا لغو شده است.',
    en: 'This node was revoked or replaced by a newer enrolment.',
  },
  impossible_report: {
    status: 400,
    fa: 'گزارش این نود عددهایی دارد که شدنی نیست، و پذیرفته نشد.',
    en: 'The report of this node has numbers that cannot be true, and was refused.',
  },
  node_agent_too_old: {
    status: 409,
    fa: 'این عامل نسخهٔ {agent} پروتکل نود را به‌کار می‌برد و این سرور نسخهٔ {server} را. عامل را روی دستگاه نود با این دستور به‌روز کنید: {command}',
    en: 'This agent uses version {agent} of the node protocol and this server version {server}. Upgrade the agent by running on its machine: {command}',
  },
  node_agent_too_new: {
    status: 409,
    fa: 'این عامل نسخهٔ {agent} پروتکل نود را به‌کار می‌برد و این سرور نسخهٔ {server} را. سرور را به‌روز کنید، یا عامل این سرور را روی دستگاه نود نصب کنید: {command}',
    en: 'This agent uses version {agent} of the node protocol and this server version {server}. Upgrade the server, or install the agent of this server by running on the node: {command}',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;

/** A value, or a sentence in each language. */
export type Details = Readonly<Record<string, string | number | Readonly<Record<Locale, string>>>>;

/** The sentence of a refusal with its details filled in; numbers are written in the locale's digits. */
export function sentenceOf(code: ErrorCode, locale: Locale, details: Details = {}): string {
  return fillIn(errors[code][locale], locale, details);
}

function fillIn(text: string, locale: Locale, details: Details): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = details[name];
    if (value === undefined) return whole;
    if (typeof value === 'object') return value[locale];
    return typeof value === 'number' ? value.toLocaleString(locale === 'fa' ? 'fa-IR' : 'en-US') : value;
  });
}

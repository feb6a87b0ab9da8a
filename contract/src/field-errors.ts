/** Errors of a field. Schemas give the key; screens and the server translate it. */
export const fieldErrors = {
  required: { fa: 'این بخش الزامی است.', en: 'This is required.' },
  too_long: { fa: 'این متن بیش از اندازه بلند است.', en: 'This text is too long.' },
  invalid: { fa: 'مقدار این بخش درست نیست.', en: 'This value is not right.' },
  unknown_field: { fa: 'این بخش شناخته‌شده نیست.', en: 'This field is not known.' },
  email_invalid: { fa: 'لطفاً ایمیل معتبر وارد کنید', en: 'Please enter a valid e-mail.' },
  code_incomplete: { fa: 'لطفاً کد ۶ رقمی را کامل وارد کنید', en: 'Please enter all six digits of the code.' },
  name_required: { fa: 'نام کامل الزامی است', en: 'Your full name is required.' },
  name_too_short: { fa: 'نام باید حداقل ۲ حرف باشد', en: 'The name needs at least 2 characters.' },
  password_required: { fa: 'گذرواژه الزامی است', en: 'A password is required.' },
  password_too_short: { fa: 'گذرواژه باید حداقل ۸ حرف باشد', en: 'The password needs at least 8 characters.' },
  password_too_weak: { fa: 'گذرواژه باید قویتر باشد', en: 'The password must be stronger.' },
  password_common: {
    fa: 'این گذرواژه از پرتکرارترین گذرواژه‌هاست و زود حدس زده می‌شود؛ به جای آن چند کلمهٔ بی‌ربط را با فاصله بنویسید',
    en: 'This is one of the most common passwords, so it is soon guessed. Write a few unrelated words with spaces instead.',
  },
  password_name: {
    fa: 'این گذرواژه فقط نامی آشنا با چند رقم و نشانه است و زود حدس زده می‌شود؛ به جای آن چند کلمهٔ بی‌ربط را با فاصله بنویسید',
    en: 'This is only a known name with some figures and symbols, so it is soon guessed. Write a few unrelated words with spaces instead.',
  },
  password_wrong: { fa: 'گذرواژهٔ فعلی درست نیست.', en: 'The current password is not right.' },
  email_taken: {
    fa: 'با این ایمیل پیش‌تر حساب ساخته شده است. لطفاً وارد شوید.',
    en: 'There is an account with this e-mail. Please sign in.',
  },
  password_confirmation: { fa: 'تکرار گذرواژه با خود آن یکی نیست', en: 'The passwords do not match.' },
  phone_invalid: {
    fa: 'شماره موبایل را مانند ۰۹۱۲۰۰۰۰۰۰۰ وارد کنید.',
    en: 'Enter a mobile number like 09120000000.',
  },
  phone_unverified: {
    fa: 'لطفا ابتدا شماره موبایل خود را تایید کنید',
    en: 'Please verify your mobile number first.',
  },
  file_too_large: { fa: 'حجم فایل نباید از 2 مگابایت بیشتر باشد', en: 'The file may have at most 2 MB.' },
  file_too_many_pixels: {
    fa: 'ابعاد تصویر زیاد است؛ حداکثر ۱۲ مگاپیکسل باشد.',
    en: 'The picture has too many pixels: 12 megapixels at most.',
  },
  file_heif: {
    fa: 'تصویر AVIF یا HEIC پذیرفته نمی‌شود؛ آن را به‌صورت JPEG یا PNG بفرستید.',
    en: 'AVIF and HEIC pictures are not accepted: send it as JPEG or PNG.',
  },
  file_not_image: { fa: 'فقط فایل‌های تصویری مجاز هستند', en: 'Only pictures are allowed.' },
  terms_required: { fa: 'برای ثبت‌نام باید شرایط را بپذیرید', en: 'Please accept the terms to register.' },
  amount_invalid: { fa: 'مبلغ را به عدد و به تومان وارد کنید.', en: 'Enter the amount as a number, in toman.' },
  amount_too_small: { fa: 'حداقل مبلغ قابل پرداخت 10,000 تومان میباشد', en: 'The smallest amount is 10,000 toman.' },
  amount_too_large: {
    fa: 'بیشترین مبلغ هر پرداخت ۱۰۰٬۰۰۰٬۰۰۰ تومان است.',
    en: 'The largest amount of one payment is 100,000,000 toman.',
  },
  transfer_too_small: {
    fa: 'کمترین مبلغ انتقال ۱٬۰۰۰ تومان است.',
    en: 'The smallest transfer is 1,000 toman.',
  },
  transfer_too_large: {
    fa: 'بیشترین مبلغ هر انتقال ۵٬۰۰۰٬۰۰۰ تومان است.',
    en: 'The largest transfer is 5,000,000 toman.',
  },
  fill_all: { fa: 'لطفاً همه فیلدها را پر کنید', en: 'Please fill in all fields.' },
  gift_required: { fa: 'لطفاً کد گیفت کارت را وارد کنید.', en: 'Please enter the gift card code.' },
  gift_length: { fa: 'کد گیفت کارت باید بین ۸ تا ۲۴ کاراکتر باشد.', en: 'The gift card code has 8 to 24 characters.' },
  gift_characters: {
    fa: 'کد گیفت کارت فقط میتواند شامل حروف انگلیسی، اعداد و خط تیره باشد.',
    en: 'The gift card code has only English letters, digits and hyphens.',
  },
  gift_format: {
    fa: 'فرمت کد گیفت کارت نامعتبر است. نمونه: ABCD-1234-EFGH-5678 یا GIFT-2024-ABCD',
    en: 'The gift card code has the wrong form. Examples: ABCD-1234-EFGH-5678 or GIFT-2024-ABCD',
  },
  gift_hyphen: {
    fa: 'کد گیفت کارت باید حداقل ۱۲ کاراکتر باشد یا شامل خط تیره باشد.',
    en: 'The gift card code needs at least 12 characters or a hyphen.',
  },
  gift_fake: { fa: 'این کد گیفت کارت معتبر نیست.', en: 'This gift card code is not valid.' },
  recovery_code_form: {
    fa: 'کد بازیابی ده حرف و رقم دارد، مثل ab3cd-9fg7h.',
    en: 'A recovery code has ten characters, like ab3cd-9fg7h.',
  },
  key_invalid: { fa: 'کلید عمومی درست نیست.', en: 'The public key is not right.' },
} as const;

export type FieldError = keyof typeof fieldErrors;

export function isFieldError(key: string): key is FieldError {
  return Object.hasOwn(fieldErrors, key);
}

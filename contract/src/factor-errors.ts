/** Refusals about passkeys, authenticator apps and recovery codes; a part of `errors`. */
export const factorErrors = {
  second_step_required: {
    status: 403,
    fa: 'برای ورود به این حساب، مرحلهٔ دوم لازم است.',
    en: 'This account asks for a second step at sign-in.',
  },
  second_step_expired: {
    status: 400,
    fa: 'زمان این ورود گذشته است. لطفاً دوباره وارد شوید.',
    en: 'This sign-in has expired. Please sign in again.',
  },
  factor_throttled: {
    status: 429,
    fa: 'کدهای نادرست زیاد بود. {minutes} دقیقهٔ دیگر دوباره امتحان کنید، یا گذرکلید به کار ببرید.',
    en: 'Too many wrong codes. Try again in {minutes} minutes, or use a passkey.',
  },
  totp_wrong: {
    status: 400,
    fa: 'این کد درست نیست یا پیش‌تر به کار رفته است. کد تازهٔ برنامه را وارد کنید.',
    en: 'This code is wrong or was used before. Enter the current code of the app.',
  },
  totp_exists: {
    status: 409,
    fa: 'برنامهٔ رمزساز پیش‌تر راه‌اندازی شده است. برای برنامهٔ تازه، اول قبلی را بردارید.',
    en: 'An authenticator app is set up already. To use another one, remove it first.',
  },
  totp_not_started: {
    status: 409,
    fa: 'زمان راه‌اندازی گذشته است. لطفاً از نو شروع کنید.',
    en: 'The set-up has expired. Please start again.',
  },
  recovery_code_wrong: {
    status: 400,
    fa: 'این کد بازیابی درست نیست یا پیش‌تر به کار رفته است.',
    en: 'This recovery code is wrong or was used before.',
  },
  passkey_refused: {
    status: 400,
    fa: 'این گذرکلید پذیرفته نشد. لطفاً دوباره امتحان کنید یا از راه دیگری وارد شوید.',
    en: 'This passkey was not accepted. Please try again or sign in another way.',
  },
  passkey_taken: {
    status: 409,
    fa: 'این گذرکلید پیش‌تر افزوده شده است.',
    en: 'This passkey was added before.',
  },
  passkey_limit: {
    status: 409,
    fa: 'بیش از {count} گذرکلید نمی‌شود داشت. اول یکی را بردارید.',
    en: 'There can be at most {count} passkeys. Remove one first.',
  },
  passkey_unavailable: {
    status: 409,
    fa: 'در نشانی این سایت گذرکلید کار نمی‌کند.',
    en: 'Passkeys do not work at the address of this site.',
  },
  recovery_codes_unused: {
    status: 409,
    fa: 'کدهای بازیابی وقتی به کار می‌آیند که ورود مرحلهٔ دوم داشته باشد. اول آن را روشن کنید.',
    en: 'Recovery codes are of use once sign-in has a second step. Turn that on first.',
  },
} as const;

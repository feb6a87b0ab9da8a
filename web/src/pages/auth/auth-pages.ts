/**
 * All screens for visitors in one part of the program: they share nearly everything, and seven parts would make the
 * first load carry seven lists of what belongs to each.
 */
export { default as RegisterPage } from '../register/register-page.tsx';
export { default as CallbackPage } from './callback/callback-page.tsx';
export { ToGithubPage, ToGooglePage } from './callback/to-provider-page.tsx';
export { default as ForgotPage } from './password/forgot-page.tsx';
export { default as ResetPage } from './password/reset-page.tsx';
export { default as PasswordlessPage } from './passwordless/passwordless-page.tsx';
export { default as VerifyEmailPage } from './verify-email/verify-email-page.tsx';

import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { type Path, shortPaths } from './routes/addresses.ts';
import {
  guardActivation,
  guardHome,
  guardPanel,
  guardSignIn,
  guardVerification,
  guardVisitor,
} from './routes/guards.ts';
import type { Part, Route, Routes } from './routes/navigation.ts';
import { redirectTo } from './routes/redirects.ts';
import { yieldToMain } from './yield-to-main.ts';

type AuthPages = typeof import('./pages/auth/auth-pages.ts');

/** Evaluated in one task and rendered in another. */
const authPage = (page: keyof AuthPages) => async () => {
  const pages = await import('./pages/auth/auth-pages.ts');
  await yieldToMain();
  return pages[page];
};

const panelStart = () => import('./components/panel-start.ts');

const panel: Part = {
  guard: guardPanel,
  load: async () => (await panelStart()).PanelLayout,
};

/** Leads elsewhere before anything of it is shown. */
const nothing = async () => () => null;

const screens: Record<Path | '*', Route> = {
  '*': { load: async () => (await import('./pages/not-found/not-found-page.tsx')).default },
  '/auth/passwordless': { guard: guardSignIn, isChecked: true, load: authPage('PasswordlessPage') },
  '/register': { guard: guardVisitor, isChecked: true, load: authPage('RegisterPage') },
  '/auth/forgot-password': { load: authPage('ForgotPage') },
  '/auth/reset-password': { load: authPage('ResetPage') },
  '/verify-email': { guard: guardVerification, isChecked: true, load: authPage('VerifyEmailPage') },
  '/auth/callback': { load: authPage('CallbackPage') },
  '/auth/google/callback': { load: authPage('CallbackPage') },
  '/auth/google': { load: authPage('ToGooglePage') },
  '/auth/github': { load: authPage('ToGithubPage') },
  '/user': { part: panel, guard: guardHome, load: nothing },
  '/user/dashboard': { part: panel, load: async () => (await panelStart()).DashboardPage },
  '/user/configs': { part: panel, load: async () => (await import('./pages/user/configs/configs-page.tsx')).default },
  '/user/servers': { part: panel, load: async () => (await import('./pages/user/servers/servers-page.tsx')).default },
  '/user/subscriptions': {
    part: panel,
    guard: guardActivation,
    load: async () => (await import('./pages/user/subscriptions/activation-page.tsx')).default,
  },
  '/user/plans': { part: panel, load: async () => (await import('./pages/user/plans/plans-page.tsx')).default },
  '/user/wallet': { part: panel, load: async () => (await import('./pages/user/wallet/wallet-page.tsx')).default },
  '/user/wallet/charge': {
    part: panel,
    load: async () => (await import('./pages/user/wallet/charge/charge-page.tsx')).default,
  },
  '/user/payments': {
    part: panel,
    load: async () => (await import('./pages/user/payments/payments-page.tsx')).default,
  },
  '/user/profile': { part: panel, load: async () => (await import('./pages/user/profile/profile-page.tsx')).default },
  // The former address of the security tab.
  '/user/security': { part: panel, guard: (navigation) => redirectTo(navigation, paths.security), load: nothing },
  '/user/upgrade-agent': {
    part: panel,
    load: async () => (await import('./pages/user/upgrade/upgrade-page.tsx')).default,
  },
};

const shortcuts = shortPaths.map((name): [string, Route] => [
  `/${name}`,
  { guard: (navigation) => redirectTo(navigation, `/user/${name}${navigation.query}`), load: nothing },
]);

/** What every address of the program shows. */
export const routes: Routes = new Map([...Object.entries(screens), ...shortcuts]);

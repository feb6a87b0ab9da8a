import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { GuardChecking } from './components/guard-checking.tsx';
import { RouteFailure } from './components/route-failure.tsx';
import type { SignInReason } from './pages/auth/shared/sign-in-reason.tsx';
import { guardActivation, guardHome, guardPanel, guardVerification, guardVisitor } from './routes/guards.ts';
import { redirectTo, screenShown } from './routes/redirects.ts';
import {
  readActivationSearch,
  readChargeSearch,
  readConfigsSearch,
  readProfileSearch,
  readServersSearch,
  readSignInSearch,
  readWalletSearch,
} from './routes/search.ts';
import { yieldToMain } from './yield-to-main.ts';

const Overlays = lazy(() => import('./components/overlays.tsx'));

/** What a guarded route shows at once, while its guard decides. */
const guarded = { pendingComponent: GuardChecking, pendingMs: 0, pendingMinMs: 0 } as const;

/** Evaluated in one task and rendered in another. */
const loadAuth = async () => {
  const pages = await import('./pages/auth/auth-pages.ts');
  await yieldToMain();
  return pages;
};

const root = createRootRoute({
  component: () => (
    <>
      <Suspense>
        <Overlays />
      </Suspense>
      <Outlet />
    </>
  ),
  errorComponent: RouteFailure,
  notFoundComponent: lazyRouteComponent(() => import('./pages/not-found/not-found-page.tsx')),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/auth/passwordless',
  validateSearch: readSignInSearch,
  ...guarded,
  // Parsed again: the router keeps in `search` what `validateSearch` has dropped.
  beforeLoad: (navigation) => guardVisitor(navigation, readSignInSearch(navigation.search).step),
  component: lazyRouteComponent(loadAuth, 'PasswordlessPage'),
});

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  ...guarded,
  beforeLoad: (navigation) => guardVisitor(navigation),
  component: lazyRouteComponent(loadAuth, 'RegisterPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/auth/forgot-password',
  component: lazyRouteComponent(loadAuth, 'ForgotPage'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/auth/reset-password',
  component: lazyRouteComponent(loadAuth, 'ResetPage'),
});

const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  ...guarded,
  beforeLoad: guardVerification,
  component: lazyRouteComponent(loadAuth, 'VerifyEmailPage'),
});

const callbacks = (['/auth/callback', '/auth/google/callback'] as const).map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(loadAuth, 'CallbackPage'),
  }),
);

const toProviders = (
  [
    ['/auth/google', 'ToGooglePage'],
    ['/auth/github', 'ToGithubPage'],
  ] as const
).map(([path, page]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(loadAuth, page) }),
);

const panel = createRoute({
  getParentRoute: () => root,
  path: '/user',
  ...guarded,
  beforeLoad: guardPanel,
  component: lazyRouteComponent(() => import('./components/panel-layout.tsx')),
});

const panelIndex = createRoute({
  getParentRoute: () => panel,
  path: '/',
  beforeLoad: guardHome,
});

const dashboard = createRoute({
  getParentRoute: () => panel,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./pages/user/dashboard/dashboard-page.tsx')),
});

const configs = createRoute({
  getParentRoute: () => panel,
  path: '/configs',
  validateSearch: readConfigsSearch,
  component: lazyRouteComponent(() => import('./pages/user/configs/configs-page.tsx')),
});

const servers = createRoute({
  getParentRoute: () => panel,
  path: '/servers',
  validateSearch: readServersSearch,
  component: lazyRouteComponent(() => import('./pages/user/servers/servers-page.tsx')),
});

const activation = createRoute({
  getParentRoute: () => panel,
  path: '/subscriptions',
  validateSearch: readActivationSearch,
  beforeLoad: (navigation) => guardActivation(navigation, navigation.search),
  component: lazyRouteComponent(() => import('./pages/user/subscriptions/activation-page.tsx')),
});

const plans = createRoute({
  getParentRoute: () => panel,
  path: '/plans',
  component: lazyRouteComponent(() => import('./pages/user/plans/plans-page.tsx')),
});

const wallet = createRoute({
  getParentRoute: () => panel,
  path: '/wallet',
  validateSearch: readWalletSearch,
  component: lazyRouteComponent(() => import('./pages/user/wallet/wallet-page.tsx')),
});

const charge = createRoute({
  getParentRoute: () => panel,
  path: '/wallet/charge',
  validateSearch: readChargeSearch,
  component: lazyRouteComponent(() => import('./pages/user/wallet/charge/charge-page.tsx')),
});

const payments = createRoute({
  getParentRoute: () => panel,
  path: '/payments',
  component: lazyRouteComponent(() => import('./pages/user/payments/payments-page.tsx')),
});

const profile = createRoute({
  getParentRoute: () => panel,
  path: '/profile',
  validateSearch: readProfileSearch,
  component: lazyRouteComponent(() => import('./pages/user/profile/profile-page.tsx')),
});

/** The former address of the security tab. */
const security = createRoute({
  getParentRoute: () => panel,
  path: '/security',
  beforeLoad: (navigation) =>
    redirectTo(navigation, redirect({ to: '/user/profile', search: { tab: 'security' }, replace: true })),
});

const upgrade = createRoute({
  getParentRoute: () => panel,
  path: '/upgrade-agent',
  component: lazyRouteComponent(() => import('./pages/user/upgrade/upgrade-page.tsx')),
});

const shortcuts = (['dashboard', 'configs', 'wallet', 'payments', 'subscriptions', 'profile'] as const).map((name) =>
  createRoute({
    getParentRoute: () => root,
    path: `/${name}`,
    beforeLoad: (navigation) => redirectTo(navigation, redirect({ to: `/user/${name}`, search: true, replace: true })),
  }),
);

const routeTree = root.addChildren([
  signIn,
  register,
  forgotPassword,
  resetPassword,
  verifyEmail,
  ...callbacks,
  ...toProviders,
  panel.addChildren([
    panelIndex,
    dashboard,
    configs,
    servers,
    activation,
    plans,
    wallet,
    charge,
    payments,
    profile,
    security,
    upgrade,
  ]),
  ...shortcuts,
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 400,
  defaultErrorComponent: RouteFailure,
  // Plain strings both ways: the default reads `?code=1234E567890` as a number.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
    return query && `?${query}`;
  },
});

router.subscribe('onResolved', screenShown);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  /** Passed from one screen to the next outside the address bar. */
  interface HistoryState {
    email?: string;
    reason?: SignInReason;
  }
}

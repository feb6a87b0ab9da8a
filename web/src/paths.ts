/** Every address of the application, once. */
export const paths = {
  landing: '/',
  signIn: '/auth/passwordless',
  register: '/register',
  forgotPassword: '/auth/forgot-password',
  resetPassword: '/auth/reset-password',
  verifyEmail: '/verify-email',
  terms: '/terms',
  privacy: '/privacy',
  security: '/user/security',
  dashboard: '/user/dashboard',
  configs: '/user/configs',
  wallet: '/user/wallet',
  charge: '/user/wallet/charge',
  payments: '/user/payments',
  activation: '/user/subscriptions',
  plans: '/user/plans',
} as const;

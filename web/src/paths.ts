/** Every address of the application, once. */
export const paths = {
  landing: '/',
  signIn: '/auth/passwordless',
  dashboard: '/user/dashboard',
  configs: '/user/configs',
  wallet: '/user/wallet',
  charge: '/user/wallet/charge',
  activation: '/user/subscriptions',
} as const;

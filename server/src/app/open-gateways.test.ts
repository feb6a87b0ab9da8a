import { expect, test } from 'vitest';
import { readConfig } from '../platform/config.ts';
import { openGateways } from './open-gateways.ts';

const opened = (env: Record<string, string>) =>
  openGateways(readConfig(env), { origin: 'http://127.0.0.1:1' }, () => 'https://raha.example').map(
    ({ name, test }) => `${name}${test ? ' (test)' : ''}`,
  );

test.each([
  ['a fresh machine: three test banks', {}, ['zarinpal (test)', 'idpay (test)', 'nextpay (test)']],
  ['production without keys: nothing', { NODE_ENV: 'production' }, []],
  [
    'production for a demonstration: three test banks',
    { NODE_ENV: 'production', DEMO: 'on' },
    ['zarinpal (test)', 'idpay (test)', 'nextpay (test)'],
  ],
  ['one key: that one, and no test bank beside it', { NEXTPAY_API_KEY: 'k' }, ['nextpay']],
  [
    'all keys, also with DEMO: the real ones',
    { NODE_ENV: 'production', DEMO: 'on', ZARINPAL_MERCHANT_ID: 'm', IDPAY_API_KEY: 'k', NEXTPAY_API_KEY: 'k' },
    ['zarinpal', 'idpay', 'nextpay'],
  ],
] as [string, Record<string, string>, string[]][])('%s', (_what, env, names) => expect(opened(env)).toEqual(names));

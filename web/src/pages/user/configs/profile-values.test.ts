import type { Config } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { filenameOf, profileFor } from './config-file.ts';
import { systems } from './device-system.ts';
import { readProfileValues } from './profile-values.ts';

const config = { id: 'a-0123', protocol: 'ikev2', server: { location: { country: 'DE' } } } as Config;

test('every system has its profile, and Linux the values of another', () => {
  expect(systems.map((system) => [system, filenameOf(config, profileFor(system))])).toEqual([
    ['android', 'raha-de-0123.sswan'],
    ['ios', 'raha-de-0123.mobileconfig'],
    ['windows', 'raha-de-0123.ps1'],
    ['macos', 'raha-de-0123.mobileconfig'],
    ['linux', 'raha-de-0123.sswan'],
  ]);
});

test('the values to enter by hand, with the certificate in lines of 64 letters', () => {
  const file = JSON.stringify({
    remote: { addr: '198.51.100.2', id: 'node', cert: 'A'.repeat(100) },
    local: { eap_id: 'user', shared_secret: 'secret' },
  });
  expect(readProfileValues(file)).toEqual({
    address: '198.51.100.2',
    identity: 'node',
    userName: 'user',
    password: 'secret',
    certificate: `-----BEGIN CERTIFICATE-----\n${'A'.repeat(64)}\n${'A'.repeat(36)}\n-----END CERTIFICATE-----\n`,
  });
});

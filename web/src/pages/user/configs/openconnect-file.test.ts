import { expect, test } from 'vitest';
import { addressOf, openconnectFile } from './openconnect-file.ts';

const ovpn = ['client', '<ca>', 'AUTHORITY', '</ca>', '<cert>', 'CERTIFICATE', '</cert>', '<key>', 'KEY', '</key>', ''];

test('certificate, key and authority of the usual file, below the command', () => {
  expect(openconnectFile(ovpn.join('\n'), { host: '198.51.100.2', port: 4443 }, 'a.pem')?.split('\n')).toEqual([
    'sudo openconnect --certificate=a.pem --cafile=a.pem https://198.51.100.2:4443',
    ...['CERTIFICATE', 'KEY', 'AUTHORITY', ''],
  ]);
});

test('an address of IPv6 stands in brackets, and a file without a key makes none', () => {
  expect(addressOf({ host: '2001:db8::2', port: 443 })).toBe('https://[2001:db8::2]:443');
  expect(openconnectFile('client\n', { host: 'h', port: 1 }, 'a.pem')).toBeUndefined();
});

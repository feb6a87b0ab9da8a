import { expect, test } from 'vitest';
import { hasResolver } from '../dns/resolver.ts';
import { hasOpenvpn } from '../tunnels/openvpn.ts';
import type { Shell } from './shell.ts';

/** Every program prints this; undefined: there is none. */
const machine = (output?: string) =>
  ({
    run: async () => {
      if (output === undefined) throw new Error('not found');
      return output;
    },
  }) as unknown as Shell;

test.each([
  ['OpenVPN 2.5.9 x86_64-pc-linux-gnu', false],
  ['OpenVPN 2.6.14 x86_64-pc-linux-gnu', true],
  ['OpenVPN 2.10.0 x86_64-pc-linux-gnu', true],
  ['OpenVPN 3.0 x86_64-pc-linux-gnu', true],
  ['nonsense', false],
  [undefined, false],
])('%s: can serve OpenVPN: %s', async (output, isEnough) => {
  expect(await hasOpenvpn(machine(output))).toBe(isEnough);
});

test.each([
  ['Version 1.13.1\n\nConfigure line: --version=1.17', false],
  ['Version 1.9.0', false],
  ['Version 1.17.1', true],
  ['Version 1.22.0', true],
  ['Version 2.0.0', true],
  ['nonsense', false],
  [undefined, false],
])('%s: can run the resolver: %s', async (output, isEnough) => {
  expect(await hasResolver(machine(output))).toBe(isEnough);
});

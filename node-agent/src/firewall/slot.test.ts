import { expect, test } from 'vitest';
import { slotOf } from './slot.ts';

test.each([
  ['10.64.0.2', 'fd72:6168:6100::2', 2],
  ['10.64.1.2', 'fd72:6168:6100::102', 258],
  ['10.64.255.254', 'fd72:6168:6100::fffe', 65_534],
  ['10.64.1.2', 'fd72:6168:6100:0:0:0:0:102', 258],
  ['10.64.1.2', 'fd72::10.64.1.2', 258],
  // One of two addresses that do not belong together would go unmetered.
  ['10.64.0.2', 'fd72:6168:6100::3', null],
  ['10.64.0.0', 'fd72:6168:6100::', null],
  ['10.64.0.2/32', 'fd72:6168:6100::2', null],
  ['10.64.0.2', 'fd72:6168:6100::2\nprivate_key=0', null],
  ['', '', null],
])('%s and %s', (address4, address6, slot) => {
  expect(slotOf(address4, address6)).toBe(slot);
});

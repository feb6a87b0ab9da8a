import type { Permission } from '@raha/contract/admin/roles.ts';
import { expect, test } from 'vitest';
import { groupsOf, type Section, type SectionGroup } from './section-groups.ts';

const section = (path: string, may?: Permission | readonly Permission[]): Section => ({
  path,
  name: () => path,
  Content: () => null,
  ...(may ? { may } : {}),
});
const all: readonly SectionGroup[] = [
  { id: 'now', sections: [section('today', 'today.read')] },
  { id: 'sales', sections: [section('prices', 'prices.read'), section('cards', 'cards.manage')] },
  { id: 'office', sections: [section('staff', ['staff.manage', 'staff.read']), section('session')] },
];
const seenBy = (role: Parameters<typeof groupsOf>[0]) =>
  groupsOf(role, all).map(({ id, sections }) => `${id}: ${sections.map(({ path }) => path).join(' ')}`);

test('a role sees what it may, in order; one of several permissions is enough', () => {
  expect(seenBy('super_admin')).toEqual(['now: today', 'sales: prices cards', 'office: staff session']);
  expect(seenBy('auditor')).toEqual(['now: today', 'sales: prices', 'office: staff session']);
});

test('a group of which it may see nothing is not there', () => {
  expect(seenBy('support')).toEqual(['now: today', 'office: session']);
});

import { isPermitted, type Permission, type StaffRole } from '@raha/contract/admin/roles.ts';
import type { ComponentType } from 'react';
import type { ScreenProps } from './screen-props.ts';

export interface Section {
  readonly path: string;
  readonly name: () => string;
  /** Also at the addresses below its own: one for each thing of a list. */
  readonly isDeep?: boolean;
  /** What the role needs to see it; one of several is enough. */
  readonly may?: Permission | readonly Permission[];
  readonly Content: ComponentType<ScreenProps>;
}

export interface SectionGroup {
  readonly id: string;
  /** What comes first needs no heading. */
  readonly name?: () => string;
  readonly sections: readonly Section[];
}

/** What the role may see. A group of which that is nothing is left out, with its heading. */
export function groupsOf(role: StaffRole, all: readonly SectionGroup[]): readonly SectionGroup[] {
  return all
    .map((group) => ({ ...group, sections: group.sections.filter((section) => maySee(role, section)) }))
    .filter(({ sections }) => sections.length > 0);
}

export function maySee(role: StaffRole, { may }: Pick<Section, 'may'>): boolean {
  return may === undefined || [may].flat().some((permission) => isPermitted(role, permission));
}

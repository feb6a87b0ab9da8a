import type { ReactNode } from 'react';

/** Of each part of the screen: the way to the others, and whether the member may change anything. */
export interface PartProps {
  readonly tabs: ReactNode;
  readonly maySettle: boolean;
}

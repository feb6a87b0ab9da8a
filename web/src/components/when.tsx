import { conditionMarks, type SiteCondition } from '@raha/contract/site-placeholders.ts';
import type { ReactNode } from 'react';

/** A part of a static page that the server leaves out unless the condition holds. */
export function When({ holds, children }: { readonly holds: SiteCondition; readonly children: ReactNode }) {
  const [before, after] = conditionMarks(holds);
  return (
    <>
      {before}
      {children}
      {after}
    </>
  );
}

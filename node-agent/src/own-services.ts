import type { CutOffPage } from './cut-off-page.ts';
import type { Reach } from './reach.ts';
import type { Resolver } from './resolver/resolver.ts';

/** What the node answers itself, beside the tunnels. */
export interface OwnServices {
  /** Absent where there is no unbound on this machine. */
  readonly resolver?: Resolver;
  readonly page: CutOffPage;
  readonly reach: Reach;
}

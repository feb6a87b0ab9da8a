import type { Resolver } from './dns/resolver.ts';
import type { CutOffPage } from './portal/captive-portal.ts';
import type { Reach } from './portal/walled-garden.ts';

/** What the node answers itself, beside the tunnels. */
export interface OwnServices {
  /** Absent where there is no unbound on this machine. */
  readonly resolver?: Resolver;
  readonly page: CutOffPage;
  readonly reach: Reach;
}

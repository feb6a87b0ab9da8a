import type { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { LucideIcon } from 'lucide-react';

export interface NavItem {
  readonly to:
    | typeof paths.dashboard
    | typeof paths.configs
    | typeof paths.wallet
    | typeof paths.payments
    | typeof paths.plans
    | typeof paths.activation
    | typeof paths.upgrade
    | typeof paths.profile;
  readonly label: string;
  readonly icon: LucideIcon;
}

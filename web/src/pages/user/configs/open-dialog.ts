import type { Config } from '@raha/contract/public/configs.ts';
import type { System } from './device-system.ts';

/** A file that was issued just now; `once` when nobody can fetch it again. */
export interface Issued {
  readonly file: string;
  readonly filename: string;
  readonly once: boolean;
}

export type OpenDialog =
  | { readonly kind: 'create'; readonly serverId?: string }
  | {
      readonly kind: 'file';
      readonly config: Config;
      readonly issued?: Issued;
      /** Whose guide is open at first; otherwise that of the system at hand. */
      readonly system?: System;
    }
  | { readonly kind: 'rename' | 'reset' | 'delete' | 'family'; readonly config: Config };

import type { Passkey } from '@raha/contract/public/factors.ts';
import type { Profile } from '@raha/contract/public/profile.ts';

export type FactorAction =
  | { readonly kind: 'add-passkey' | 'add-totp' | 'remove-totp' | 'renew-codes' }
  | { readonly kind: 'rename' | 'remove' | 'second-step'; readonly passkey: Passkey };

export interface FactorDialogProps {
  readonly profile: Profile;
  /** Something changed: the list is read again, and codes, if there are any, are shown before the dialog closes. */
  onDone(sentence: string, recoveryCodes?: readonly string[] | null): void;
  onClose(): void;
}

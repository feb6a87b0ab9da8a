import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { secretContext } from './totp.ts';

export const factorSecrets: readonly SealedColumn[] = [
  { table: 'totp_secret', column: 'secret_sealed', subject: 'user_id', context: secretContext },
];

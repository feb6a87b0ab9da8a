import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { presharedContext, privateContext } from './keys.ts';

export const clientFileSecrets: readonly SealedColumn[] = [
  { table: 'config', column: 'client_secret_sealed', subject: 'id', context: presharedContext },
  { table: 'config', column: 'private_key_sealed', subject: 'id', context: privateContext },
];

import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { certificateAuthorityContext, tlsCryptContext } from './certificate-authority.ts';

const table = 'node_certificate_authority';

export const fleetSecrets: readonly SealedColumn[] = [
  { table, column: 'private_key_sealed', subject: 'node_id', context: certificateAuthorityContext },
  { table, column: 'tls_crypt_key_sealed', subject: 'node_id', context: tlsCryptContext },
];

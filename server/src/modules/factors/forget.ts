import type { Tx } from '../../platform/database.ts';
import { deleteCodes, deleteTotp } from './code-tables.ts';
import { deletePasskeysOf } from './tables.ts';

/** Deletes all factors of a user. */
export async function forgetFactors(tx: Tx, userId: string): Promise<void> {
  await deletePasskeysOf(tx, userId);
  await deleteTotp(tx, userId);
  await deleteCodes(tx, userId);
}

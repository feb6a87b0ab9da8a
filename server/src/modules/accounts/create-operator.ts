import { type Database, inTransaction } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { insertUser, updateProfile, updateRole } from './tables.ts';

/** Creates an operator (role super_admin), or makes an existing account one. Returns the id of a new account. */
export async function createOperator(db: Database, email: string, now: Date): Promise<string | undefined> {
  return await inTransaction(db, async (tx) => {
    const id = newId(now);
    const created = await insertUser(
      tx,
      { id, email, name: 'مدیر', role: 'super_admin', status: 'active', verifiedAt: now },
      now,
    );
    if (created) await updateProfile(tx, id, 'مدیر', null);
    else await updateRole(tx, email, 'super_admin');
    return created ? id : undefined;
  });
}

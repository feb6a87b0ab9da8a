import type { FactorList, Passkey } from '@raha/contract/public/factors.ts';
import type { Executor } from '../../platform/database.ts';
import { selectTotp } from './code-tables.ts';
import { countUnusedCodes } from './recovery-codes.ts';
import { relyingPartyOf } from './rules.ts';
import { type PasskeyRow, selectPasskeys } from './tables.ts';

/** The factors of an account, without their secrets. */
export async function listFactors(db: Executor, publicUrl: string, userId: string): Promise<FactorList> {
  const totp = await selectTotp(db, userId);
  return {
    passkeys: (await selectPasskeys(db, userId)).map(describePasskey),
    totp: totp?.confirmed_at
      ? { created_at: totp.confirmed_at.toISOString(), last_used_at: totp.last_used_at?.toISOString() ?? null }
      : null,
    recovery_codes_left: await countUnusedCodes(db, userId),
    passkey_host: relyingPartyOf(publicUrl)?.id ?? null,
  };
}

export function describePasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    second_step: row.is_second_step,
    backed_up: row.backed_up,
  };
}

import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** How long an account is erased before what it left in the wallet is written off; reversals arrive within days. */
export const remainderDays = defineSetting('accounts.remainderDays', z.int().check(z.gte(30), z.lte(3_650)), 180);

/** Toman by which members may correct a user's wallet within 30 days without a second one, added up in either direction. */
export const smallCorrection = defineSetting(
  'approvals.smallToman',
  z.int().check(z.gte(0), z.lte(1_000_000_000)),
  500_000,
);

/** Toman up to which one member may credit a payment by hand; beyond, a second one decides. */
export const creditAlone = defineSetting(
  'approvals.creditToman',
  z.int().check(z.gte(0), z.lte(1_000_000_000)),
  5_000_000,
);

/** Toman of a day's transfers from which the sender confirms each one by password or code; 0: every transfer. */
export const transferProofFrom = defineSetting(
  'wallet.transferProofFrom',
  z.int().check(z.gte(0), z.lte(limits.transfer.perDayToman)),
  limits.transfer.proofFromToman,
);

import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** Toman of a day's transfers from which the sender confirms each one by password or code; 0: every transfer. */
export const transferProofFrom = defineSetting(
  'wallet.transferProofFrom',
  z.int().check(z.gte(0), z.lte(limits.transfer.perDayToman)),
  limits.transfer.proofFromToman,
);

import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { batchContext } from './issue-cards.ts';
import { addressContext, codeContext } from './visit-store.ts';

export const giftCardSecrets: readonly SealedColumn[] = [
  { table: 'gift_card_batch', column: 'codes_sealed', subject: 'id', context: batchContext },
  { table: 'gift_card_redirect', column: 'code_sealed', subject: 'id', context: codeContext },
  { table: 'gift_card_redirect', column: 'redirect_url_sealed', subject: 'id', context: addressContext },
];

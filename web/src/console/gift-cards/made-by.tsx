import type { CardBatch } from '@raha/contract/admin/gift-cards.ts';
import { m } from '../../text/generated/messages.js';

export function MadeBy({ batch: { by } }: { batch: Pick<CardBatch, 'by'> }) {
  return by === null ? m.console_audit_machine() : <bdi dir="ltr">{by}</bdi>;
}
